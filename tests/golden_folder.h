/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * golden_folder.h - where the recorded data lies: what $ROCKET_GOLDEN names, the collection
 * beside the source tree, or else the part of it that is committed (tests/model/data).
 */
#ifndef TESTS_GOLDEN_FOLDER_H
#define TESTS_GOLDEN_FOLDER_H

#define GOLDEN_PATH_MAX 4608

const char *golden_folder(void);
/* Path of a file of the matmul data: "numerics/integer.txt". Whether it is there is not asked. */
const char *golden_file(char path[GOLDEN_PATH_MAX], const char *name);

#endif
