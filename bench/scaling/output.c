// SPDX-License-Identifier: LGPL-2.1-or-later
/* output.c - see output.h. */
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

static bool open_beside(struct scaling_output *o, const struct stat *there)
{
	static const char suffix[] = ".XXXXXX";
	const size_t n = strlen(o->path);
	int fd, err;

	o->beside = malloc(n + sizeof(suffix));
	if (!o->beside)
		return false;
	memcpy(o->beside, o->path, n);
	memcpy(o->beside + n, suffix, sizeof(suffix));
	fd = mkstemp(o->beside);
	if (fd < 0)
		goto err_free;
	if (!fchmod(fd, mode_of(there)) && (o->file = fdopen(fd, "w")))
		return true;
	err = errno;
	close(fd);
	unlink(o->beside);
	errno = err;
err_free:
	free(o->beside);
	o->beside = NULL;
	return false;
}

bool scaling_output_open(struct scaling_output *o, const char *path)
{
	struct stat st;
	const bool there = !lstat(path, &st);

	*o = (struct scaling_output){ .path = path };
	if (!there || S_ISREG(st.st_mode))
		return open_beside(o, there ? &st : NULL);
	o->file = fopen(path, "w");
	return o->file;
}

bool scaling_output_close(struct scaling_output *o, bool keep)
{
	bool good = !ferror(o->file);
	int err = EIO;

	if (fclose(o->file)) {
		err = errno;
		good = false;
	}
	if (o->beside && keep && good && rename(o->beside, o->path)) {
		err = errno;
		good = false;
	}
	if (o->beside && !(keep && good))
		unlink(o->beside);
	free(o->beside);
	o->beside = NULL;
	errno = err;
	return good;
}
