// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * agent - runs commands in the virtual board for virt/run, one at a time.
 *
 * It talks over the virtio port called org.rocket-npu.agent. A request is a line "run NUMBER
 * SECONDS LENGTH" and LENGTH bytes of shell command. The answer is any number of "out LENGTH" with
 * that many bytes of what the command printed, then "end VERDICT": the exit code, "signal N",
 * "timeout" (killed when its seconds were over), or "stuck" (killed, and it did not go). Around a
 * command the kernel log gets a line, so that the log can be cut into commands on the other side.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PORT_NAME   "org.rocket-npu.agent"
#define COMMAND_MAX 65536
#define STUCK_MS    5000
/* Output of a process that outlives the command, and may keep the pipe open for ever. */
#define DRAIN_MS 50

struct request {
	unsigned number;
	unsigned seconds;
	size_t length;
	char command[COMMAND_MAX];
};

static void die(const char *what)
{
	fprintf(stderr, "agent: %s: %s\n", what, strerror(errno));
	exit(1);
}

static long long now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000LL + t.tv_nsec / 1000000;
}

static bool is_our_port(const char *port)
{
	char path[300], name[64] = "";
	FILE *f;

	snprintf(path, sizeof(path), "/sys/class/virtio-ports/%s/name", port);
	f = fopen(path, "r");
	if (!f)
		return false;
	if (!fgets(name, sizeof(name), f))
		name[0] = '\0';
	fclose(f);
	return !strncmp(name, PORT_NAME, strlen(PORT_NAME));
}

static int open_port(void)
{
	DIR *ports = opendir("/sys/class/virtio-ports");
	struct dirent *entry;
	char path[300];
	int fd = -1;

	if (!ports)
		die("no virtio ports");
	while (fd < 0 && (entry = readdir(ports))) {
		if (!is_our_port(entry->d_name))
			continue;
		snprintf(path, sizeof(path), "/dev/%s", entry->d_name);
		fd = open(path, O_RDWR | O_CLOEXEC);
		if (fd < 0)
			die(path);
	}
	closedir(ports);
	if (fd < 0) {
		errno = ENODEV;
		die(PORT_NAME);
	}
	return fd;
}

static void write_all(int fd, const void *data, size_t n)
{
	const char *at = data;

	while (n) {
		ssize_t written = write(fd, at, n);

		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0)
			die("write");
		at += written;
		n -= written;
	}
}

static void say(int fd, const char *fmt, ...)
{
	char line[64];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	write_all(fd, line, n);
}

static void read_all(int fd, char *to, size_t n)
{
	while (n) {
		ssize_t got = read(fd, to, n);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			die("read");
		if (got == 0) { /* nobody at the other end yet */
			usleep(10000);
			continue;
		}
		to += got;
		n -= got;
	}
}

static void read_request(int fd, struct request *req)
{
	char line[64];
	size_t n = 0;

	do {
		read_all(fd, &line[n], 1);
	} while (line[n] != '\n' && ++n < sizeof(line) - 1);
	line[n] = '\0';
	if (sscanf(line, "run %u %u %zu", &req->number, &req->seconds, &req->length) != 3 ||
	    req->length >= COMMAND_MAX) {
		errno = EPROTO;
		die(line);
	}
	read_all(fd, req->command, req->length);
	req->command[req->length] = '\0';
}

static void mark(const char *what, unsigned number)
{
	int fd = open("/dev/kmsg", O_WRONLY | O_CLOEXEC);
	char line[64];

	if (fd < 0)
		die("/dev/kmsg");
	snprintf(line, sizeof(line), "<5>rocket-vm: %s %u\n", what, number);
	write_all(fd, line, strlen(line));
	close(fd);
}

static pid_t start(const char *command, int *out)
{
	int ends[2], null;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC))
		die("pipe");
	pid = fork();
	if (pid < 0)
		die("fork");
	if (pid == 0) {
		setsid();
		null = open("/dev/null", O_RDONLY);
		dup2(null, 0);
		dup2(ends[1], 1);
		dup2(ends[1], 2);
		execl("/bin/sh", "sh", "-c", command, (char *)NULL);
		_exit(127);
	}
	close(ends[1]);
	fcntl(ends[0], F_SETFL, O_NONBLOCK);
	*out = ends[0];
	return pid;
}

/* Pass on what there is within ms. False when nothing more will come. */
static bool pass_on(int from, int port, int ms)
{
	struct pollfd p = { .fd = from, .events = POLLIN };
	char buf[8192];
	ssize_t n;

	if (poll(&p, 1, ms) <= 0)
		return true;
	n = read(from, buf, sizeof(buf));
	if (n < 0)
		return errno == EAGAIN || errno == EINTR;
	if (n == 0)
		return false;
	say(port, "out %zd\n", n);
	write_all(port, buf, n);
	return true;
}

/* Wait for the command, passing on what it prints. Returns its verdict. */
static const char *attend(pid_t pid, int out, int port, unsigned seconds)
{
	static char verdict[32];
	long long deadline = now_ms() + seconds * 1000LL;
	bool killed = false, open = true;
	int status;

	while (waitpid(pid, &status, WNOHANG) == 0) {
		if (open)
			open = pass_on(out, port, 5);
		else
			usleep(2000);
		if (now_ms() < deadline)
			continue;
		if (killed)
			return "stuck";
		kill(-pid, SIGKILL);
		killed = true;
		deadline = now_ms() + STUCK_MS;
	}
	kill(-pid, SIGKILL);
	for (deadline = now_ms() + DRAIN_MS; open && now_ms() < deadline;)
		open = pass_on(out, port, 1);
	if (killed)
		return "timeout";
	snprintf(verdict, sizeof(verdict), WIFSIGNALED(status) ? "signal %d" : "%d",
		 WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
	return verdict;
}

int main(void)
{
	static struct request req;
	int port = open_port();

	say(port, "ready\n");
	for (;;) {
		const char *verdict;
		pid_t pid;
		int out;

		read_request(port, &req);
		mark("begin", req.number);
		pid = start(req.command, &out);
		verdict = attend(pid, out, port, req.seconds);
		close(out);
		mark("end", req.number);
		say(port, "end %s\n", verdict);
	}
}
