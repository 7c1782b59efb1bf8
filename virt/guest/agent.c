// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * agent - runs commands in the virtual board for virt/run, one at a time.
 *
 * It talks over the virtio port called org.rocket-npu.agent. A request is a line "run NUMBER
 * SECONDS LENGTH" and LENGTH bytes of shell command. The answer is any number of "out LENGTH" with
 * that many bytes of what the command printed, then "end VERDICT": the exit code, "signal N",
 * "timeout" (killed when its seconds were over), or "stuck" (killed, and it did not go). Around a
 * command the kernel log gets a line, so that the log can be cut into commands on the other side.
 *
 * The system may sleep under a command. On waking, Linux 7.3 asks the host whether it has the port
 * open before it gives the host a buffer for the answer, so the port stays closed until its driver
 * is bound anew. That is done after the command, which may have the system sleep again: when it
 * does so while the driver waits for an answer of the host's, the device is reset, no answer comes,
 * and the driver waits for ever. What the command prints meanwhile is kept.
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
#define PORTS       "/sys/class/virtio-ports"
#define DRIVER      "/sys/bus/virtio/drivers/virtio_console/"
#define COMMAND_MAX 65536
#define STUCK_MS    5000
/* Output of a process that outlives the command, and may keep the pipe open for ever. */
#define DRAIN_MS 50
/* An answer of the host's that is only late is there by then. */
#define ANSWER_MS 500

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

/* ---- the port ---- */

static int port = -1;
static char device[64]; /* that has the port, as sysfs names it */

static bool is_our_port(const char *name)
{
	char path[300], text[64] = "";
	FILE *f;

	snprintf(path, sizeof(path), PORTS "/%s/name", name);
	f = fopen(path, "r");
	if (!f)
		return false;
	if (!fgets(text, sizeof(text), f))
		text[0] = '\0';
	fclose(f);
	return !strncmp(text, PORT_NAME, strlen(PORT_NAME));
}

static void note_device(const char *name)
{
	char path[300], target[300];
	ssize_t n;

	snprintf(path, sizeof(path), PORTS "/%s/device", name);
	n = readlink(path, target, sizeof(target) - 1);
	if (n < 0)
		die(path);
	target[n] = '\0';
	snprintf(device, sizeof(device), "%s", strrchr(target, '/') + 1);
}

/* False: there is none of our name. */
static bool open_port(void)
{
	DIR *ports = opendir(PORTS);
	struct dirent *entry;
	char path[300];

	while (ports && port < 0 && (entry = readdir(ports))) {
		if (!is_our_port(entry->d_name))
			continue;
		note_device(entry->d_name);
		snprintf(path, sizeof(path), "/dev/%s", entry->d_name);
		port = open(path, O_RDWR | O_CLOEXEC);
		if (port < 0)
			die(path);
	}
	if (ports)
		closedir(ports);
	return port >= 0;
}

static bool is_cut_off(void)
{
	struct pollfd p = { .fd = port };

	return poll(&p, 1, 0) > 0 && p.revents & POLLHUP;
}

static void ask_driver(const char *what)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), DRIVER "%s", what);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0 || write(fd, device, strlen(device)) < 0)
		die(path);
	close(fd);
}

/* Have the host at the other end. */
static void reconnect(void)
{
	long long deadline = now_ms() + ANSWER_MS;

	while (is_cut_off()) {
		if (now_ms() > deadline) {
			close(port);
			port = -1;
			ask_driver("unbind");
			ask_driver("bind");
			while (!open_port())
				usleep(1000);
			deadline = now_ms() + ANSWER_MS;
		}
		usleep(1000);
	}
}

/* What the host is to get, and whether a command runs. */
static char *queue;
static size_t queued;
static bool is_running;

/* A sleep between the two calls would leave write() waiting: the alarm interrupts it. */
static void flush(void)
{
	size_t sent = 0;

	while (sent < queued && !(is_running && is_cut_off())) {
		ssize_t written;

		if (!is_running)
			reconnect();
		alarm(2);
		written = write(port, queue + sent, queued - sent);
		alarm(0);
		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0)
			die("write");
		sent += written;
	}
	queued -= sent;
	memmove(queue, queue + sent, queued);
}

static void send(const char *at, size_t n)
{
	char *longer = realloc(queue, queued + n);

	if (!longer)
		die("memory");
	queue = longer;
	memcpy(queue + queued, at, n);
	queued += n;
	flush();
}

static void say(const char *fmt, ...)
{
	char line[64];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	send(line, n);
}

static void receive(char *to, size_t n)
{
	while (n) {
		ssize_t got = read(port, to, n);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			die("read");
		if (got == 0) /* nobody at the other end */
			reconnect();
		to += got;
		n -= got;
	}
}

/* ---- commands ---- */

static void read_request(struct request *req)
{
	char line[64];
	size_t n = 0;

	do {
		receive(&line[n], 1);
	} while (line[n] != '\n' && ++n < sizeof(line) - 1);
	line[n] = '\0';
	if (sscanf(line, "run %u %u %zu", &req->number, &req->seconds, &req->length) != 3 ||
	    req->length >= COMMAND_MAX) {
		errno = EPROTO;
		die(line);
	}
	receive(req->command, req->length);
	req->command[req->length] = '\0';
}

static void mark(const char *what, unsigned number)
{
	int fd = open("/dev/kmsg", O_WRONLY | O_CLOEXEC);
	char line[64];

	if (fd < 0)
		die("/dev/kmsg");
	snprintf(line, sizeof(line), "<5>rocket-vm: %s %u\n", what, number);
	if (write(fd, line, strlen(line)) < 0)
		die("/dev/kmsg");
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
static bool pass_on(int from, int ms)
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
	say("out %zd\n", n);
	send(buf, n);
	return true;
}

/* Wait for the command, passing on what it prints. Returns its verdict. */
static const char *attend(pid_t pid, int out, unsigned seconds)
{
	static char verdict[32];
	long long deadline = now_ms() + seconds * 1000LL;
	bool killed = false, open = true;
	int status;

	while (waitpid(pid, &status, WNOHANG) == 0) {
		if (open)
			open = pass_on(out, 5);
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
		open = pass_on(out, 1);
	if (killed)
		return "timeout";
	snprintf(verdict, sizeof(verdict), WIFSIGNALED(status) ? "signal %d" : "%d",
		 WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
	return verdict;
}

static void ignore(int number)
{
	(void)number;
}

int main(void)
{
	struct sigaction interrupt = { .sa_handler = ignore };
	static struct request req;

	sigaction(SIGALRM, &interrupt, NULL);
	if (!open_port()) {
		errno = ENODEV;
		die(PORT_NAME);
	}
	while (is_cut_off()) /* the host is told last */
		usleep(1000);
	say("ready\n");
	for (;;) {
		const char *verdict;
		pid_t pid;
		int out;

		read_request(&req);
		mark("begin", req.number);
		is_running = true;
		pid = start(req.command, &out);
		verdict = attend(pid, out, req.seconds);
		is_running = false;
		close(out);
		mark("end", req.number);
		say("end %s\n", verdict);
	}
}
