// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * output.c - see output.h.
 *
 * What is written stays in memory until it is complete: a run that is interrupted leaves nothing
 * beside the file.
 */
#include "output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* As a file that open() makes, or as the one that is replaced. */
static mode_t mode_of(const struct stat *there)
{
	mode_t mask;

	if (there)
		return there->st_mode & 0777;
	mask = umask(0);
	umask(mask);
	return 0666 & ~mask;
}

/* With errno as it was. */
static void discard(char *beside)
{
	const int err = errno;

	unlink(beside);
	free(beside);
	errno = err;
}

/* An empty file beside path, to be discarded. NULL and errno: there is none. */
static char *make_beside(const struct scaling_output *o, FILE **file)
{
	static const char suffix[] = ".XXXXXX";
	const size_t n = strlen(o->path);
	char *beside = malloc(n + sizeof(suffix));
	int fd;

	if (!beside)
		return NULL;
	memcpy(beside, o->path, n);
	memcpy(beside + n, suffix, sizeof(suffix));
	fd = mkstemp(beside);
	if (fd < 0) {
		free(beside);
		return NULL;
	}
	if (!fchmod(fd, o->mode) && (*file = fdopen(fd, "w")))
		return beside;
	close(fd);
	discard(beside);
	return NULL;
}

/* That it cannot be written is told before anything is measured. */
static bool can_be_written(const struct scaling_output *o)
{
	FILE *file;
	char *beside = make_beside(o, &file);

	if (!beside)
		return false;
	fclose(file);
	discard(beside);
	return true;
}

static bool replace(const struct scaling_output *o)
{
	FILE *file;
	char *beside = make_beside(o, &file);
	bool good;

	if (!beside)
		return false;
	good = fwrite(o->text, 1, o->size, file) == o->size;
	good = !fclose(file) && good;
	good = good && !rename(beside, o->path);
	if (good)
		free(beside);
	else
		discard(beside);
	return good;
}

bool scaling_output_open(struct scaling_output *o, const char *path)
{
	struct stat st;
	const bool there = !lstat(path, &st);

	*o = (struct scaling_output){ .path = path, .direct = there && !S_ISREG(st.st_mode) };
	o->mode = mode_of(there ? &st : NULL);
	if (o->direct)
		o->file = fopen(path, "w");
	else if (can_be_written(o))
		o->file = open_memstream(&o->text, &o->size);
	return o->file;
}

bool scaling_output_close(struct scaling_output *o, bool keep)
{
	bool good = !ferror(o->file);

	if (!good)
		errno = EIO; /* which it was is not known any more */
	good = !fclose(o->file) && good;
	if (!o->direct && keep && good)
		good = replace(o);
	free(o->text);
	o->text = NULL;
	return good;
}
