/* SPDX-License-Identifier: MIT */
#include <string.h>
#include "host.h"

enum exit_code session_read(struct session *s, const struct options *o, bool writable)
{
	enum exit_code code;

	memset(s, 0, sizeof(*s));
	host_lock(s, sizeof(*s));
	code = host_suite(&s->suite);
	if (code == EXIT_DONE)
		code = image_open(&s->img, o->image, writable);
	if (code == EXIT_DONE)
		code = image_select(&s->img, o, &s->suite, o->header == NULL, &s->data);
	if (code != EXIT_DONE)
		return code;
	s->header = s->data.where;
	host_log_subject(s->data.subject);
	if (o->header != NULL) {
		code = image_open(&s->header_img, o->header, false);
		if (code != EXIT_DONE)
			return code;
		s->header = (struct cardea_extent){ &s->header_img.disk, 0, cardea_disk_size(&s->header_img.disk) };
		host_log_subject(o->header);
	}
	code = exit_code_of(cardea_luks_read(&s->luks, &s->suite, &host_platform, &s->header, o->header != NULL));
	host_log_subject(s->data.subject);
	return code;
}

enum exit_code session_unlock(struct session *s, const struct options *o)
{
	struct secret secret;
	enum exit_code code;
	char prompt[400];

	/* What cannot be opened whatever the passphrase is said before asking. */
	code = exit_code_of(cardea_luks_check_data(&s->luks, &host_platform, &s->data.where));
	if (code != EXIT_DONE)
		return code;
	snprintf(prompt, sizeof(prompt), "%s (LUKS%u %s)", s->data.subject, s->luks.version, s->luks.uuid);
	code = secret_read(&secret, o, prompt);
	if (code != EXIT_DONE)
		return code;
	code = exit_code_of(cardea_luks_unlock(&s->volume, &s->suite, &host_platform, &s->luks, &s->header,
	                                       &s->data.where, secret.bytes, secret.len, o->key_slot, &s->slot));
	secret_free(&secret);
	if (code == EXIT_KEY)
		complain("%s: no key slot opens with this %s", s->data.subject,
		         o->key_file != NULL ? "key file" : "passphrase");
	return code;
}

void session_close(struct session *s)
{
	cardea_volume_close(&s->volume);
	image_close(&s->header_img);
	image_close(&s->img);
}
