/* SPDX-License-Identifier: MIT */
/* What is left to do when nothing was started: numbered choices, always with a way on. */
#ifndef CARDEA_EFI_MENU_H
#define CARDEA_EFI_MENU_H

#include "cardea/boot.h"

/* suite NULL: self-tests failed, and volumes are not touched.  Returns when the user wants to leave the program. */
void menu_run(const struct cardea_suite *suite, const struct options *o);

#endif
