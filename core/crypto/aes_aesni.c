/* SPDX-License-Identifier: MIT */
/* AES with AES-NI: asm/x86_64/aes_aesni.S. */
#include "crypto/cipher_internal.h"

/* What the assembly takes for granted. */
_Static_assert(offsetof(struct cardea_cipher_key, u.aes.round_key) == 0, "asm/x86_64/aes_aesni.S");
_Static_assert(offsetof(struct cardea_cipher_key, u.aes.rounds) == 240, "asm/x86_64/aes_aesni.S");

void cardea_aes_encrypt_aesni(const struct cardea_cipher_key *key, uint8_t *out, const uint8_t *in, size_t blocks);
void cardea_aes_decrypt_aesni(const struct cardea_cipher_key *key, uint8_t *out, const uint8_t *in, size_t blocks);

const struct cardea_cipher_impl cardea_aes_aesni = {
	.impl = { .name = "aesni", .need = CARDEA_CPU_AES, .traits = CARDEA_TRAIT_CT | CARDEA_TRAIT_VECTOR },
	.cipher = CARDEA_CIPHER_AES,
	.expand = cardea_aes_expand_ct64,
	.encrypt = cardea_aes_encrypt_aesni,
	.decrypt = cardea_aes_decrypt_aesni,
	.batch = 8,
};
