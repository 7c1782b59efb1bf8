# SPDX-License-Identifier: LGPL-2.1-or-later
# ROCKET_TRY_LDFLAG(VARIABLE, FLAG): append FLAG to the output variable when it links.
AC_DEFUN([ROCKET_TRY_LDFLAG], [
    AC_MSG_CHECKING([whether the linker takes $2])
    rocket_save_LDFLAGS=$LDFLAGS
    LDFLAGS="$LDFLAGS $2"
    AC_LINK_IFELSE([AC_LANG_PROGRAM([], [])],
        [AC_MSG_RESULT([yes]); $1="$$1 $2"], [AC_MSG_RESULT([no])])
    LDFLAGS=$rocket_save_LDFLAGS
    AC_SUBST([$1])])
