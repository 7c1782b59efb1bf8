/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * settings.h - the ROCKET_* environment, read in one place.
 *
 * Pure code takes these as values; nothing else in the library calls getenv().
 */
#ifndef ROCKET_CORE_SETTINGS_H
#define ROCKET_CORE_SETTINGS_H

enum rocket_reuse_setting {
	ROCKET_REUSE_AUTO = -1, /* ROCKET_REUSE unset */
	ROCKET_REUSE_OFF = 0,
	ROCKET_REUSE_WEIGHT = 1,
	ROCKET_REUSE_DATA = 2,
};

struct rocket_settings {
	/* device */
	char device[256]; /* ROCKET_DEVICE, "" when unset */
	char chip[16];    /* ROCKET_CHIP, "" when unset */
	/* matmul */
	int kacc;                /* ROCKET_KACC (default 1); ROCKET_NO_KACC set: 0 */
	int kacc_chain;          /* ROCKET_KACC_CHAIN 0, 1, 2 */
	int reuse;               /* enum rocket_reuse_setting */
	int batch_submit;        /* ROCKET_BATCH_SUBMIT; -1 (default): as the driver prefers */
	int mm_asym;             /* ROCKET_MM_ASYM (default 1) */
	int mm_stream;           /* ROCKET_MM_STREAM (default: 1 where device is the simulator) */
	int mm_mt, mm_nt, mm_kt; /* ROCKET_MM_MT, _NT, _KT; 0 = not set */
	int reuse_debug;         /* ROCKET_REUSE_DEBUG: log which operand stays on chip */
	int kacc_batchout;       /* ROCKET_KACC_BATCHOUT: partial buffers for a whole job */
	int mm_pipe;        /* ROCKET_MM_PIPE: the host adds one job's results during the next */
	int no_shared_pack; /* ROCKET_NO_SHARED_PACK: every worker packs A */
	int mm_profile;     /* ROCKET_MM_PROFILE: where time went, printed at exit */
	int keep_mib; /* ROCKET_KEEP_MIB: what fds keep between matmuls, together; default 128 */
	/* Set at open: tasks that are not chained may run anywhere, others between them, so nothing
	 * stays on chip from one to the next. */
	int tasks_apart;
	/* submitting */
	char rknpu_submit[16]; /* ROCKET_RKNPU_SUBMIT, "" when unset; its provider knows the values
				*/
	/* waiting */
	int wait_ms; /* ROCKET_WAIT_MS; < 1: 8000, or ten minutes where device is the simulator */
	int slow_wait_ms;  /* ROCKET_SLOW_WAIT_MS; 0 = the profile's */
	long busy_poll_us; /* ROCKET_BUSY_POLL, default 0 */
	/* placement */
	char cpu_affinity[128]; /* ROCKET_CPU_AFFINITY, "" = auto */
	int n_threads;          /* ROCKET_N_THREADS; 0 = the profile's */
	/* checking */
	int validate; /* ROCKET_VALIDATE: check every program before it is submitted */
};

struct rocket_log_settings {
	int level;          /* ROCKET_LOG_LEVEL, ROCKET_DEBUG */
	int stderr_always;  /* ROCKET_LOG_STDERR: lines go to stderr beside a callback, too */
	char malformed[64]; /* a value that was not understood, for one line about it */
};

/* Read the environment now. A malformed value is logged once and its default taken. */
struct rocket_settings rocket_settings_read(void);

/* The same for the log channel, which reads its part before it can log. */
struct rocket_log_settings rocket_log_settings_read(void);

#endif
