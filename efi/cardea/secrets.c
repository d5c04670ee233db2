/* SPDX-License-Identifier: MIT */
#include "cardea/secrets.h"

static struct secret *first;
static EFI_EVENT exit_event;

static void wipe_all(void)
{
	for (struct secret *s = first; s != NULL; s = s->next)
		cardea_wipe(s->p, s->len);
}

/* The list stays: this may run when nothing can be freed any more, and again. */
static VOID EFIAPI on_exit_boot_services(EFI_EVENT event, VOID *context)
{
	(void)event;
	(void)context;
	wipe_all();
}

EFI_STATUS secrets_init(void)
{
	return env.bs->CreateEvent(EVT_SIGNAL_EXIT_BOOT_SERVICES, TPL_NOTIFY, on_exit_boot_services, NULL, &exit_event);
}

void secrets_add(struct secret *s, void *p, size_t len)
{
	s->p = p;
	s->len = len;
	s->next = first;
	first = s;
}

void secrets_remove(struct secret *s)
{
	struct secret **at = &first;

	while (*at != NULL && *at != s)
		at = &(*at)->next;
	if (*at == NULL)
		return;
	cardea_wipe(s->p, s->len);
	*at = s->next;
	memset(s, 0, sizeof(*s));
}

void secrets_end(void)
{
	wipe_all();
	first = NULL;
	if (exit_event != NULL)
		env.bs->CloseEvent(exit_event);
	exit_event = NULL;
}
