// SPDX-License-Identifier: GPL-2.0-only
/*
 * rocket_inject - the calls of a kernel function fail or take long, so that what is rare can be
 * tested on a driver as it is. Written to debugfs, rocket-inject:
 *   fail FUNCTION ERROR SKIP   calls after the first SKIP are not made and give ERROR
 *   pause FUNCTION MS SKIP     calls after the first SKIP are made MS later, the CPU being busy
 *   off
 * Reading gives the number of calls since.
 */
#include <linux/atomic.h>
#include <linux/cleanup.h>
#include <linux/debugfs.h>
#include <linux/delay.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/string.h>
#include <linux/uaccess.h>

static DEFINE_MUTEX(inject_lock);
static struct kprobe inject_probe;
static char inject_function[64];
static bool inject_on, inject_fails;
static int inject_value, inject_skip;
static atomic_t inject_calls;
static struct dentry *inject_file;

static int inject_called(struct kprobe *probe, struct pt_regs *regs)
{
	if (atomic_inc_return(&inject_calls) <= inject_skip)
		return 0;
	if (!inject_fails) {
		mdelay(inject_value);
		return 0;
	}
	/* The probe is at the function's first instruction: return from there. */
	regs->regs[0] = inject_value;
	instruction_pointer_set(regs, procedure_link_pointer(regs));
	return 1;
}

static void inject_stop(void)
{
	if (inject_on)
		unregister_kprobe(&inject_probe);
	inject_on = false;
}

static int inject_start(const char *how)
{
	int err;

	inject_stop();
	inject_fails = !strcmp(how, "fail");
	if (!strcmp(how, "off"))
		return 0;
	if (!inject_fails && strcmp(how, "pause"))
		return -EINVAL;
	inject_probe =
		(struct kprobe){ .symbol_name = inject_function, .pre_handler = inject_called };
	atomic_set(&inject_calls, 0);
	err = register_kprobe(&inject_probe);
	inject_on = !err;

	return err;
}

static ssize_t inject_write(struct file *file, const char __user *from, size_t size, loff_t *pos)
{
	char text[128] = "", how[8] = "";
	int err;

	if (size >= sizeof(text))
		return -E2BIG;
	if (copy_from_user(text, from, size))
		return -EFAULT;

	guard(mutex)(&inject_lock);
	inject_skip = 0;
	if (sscanf(text, "%7s %63s %d %d", how, inject_function, &inject_value, &inject_skip) < 1)
		return -EINVAL;
	err = inject_start(how);

	return err ? err : size;
}

static ssize_t inject_read(struct file *file, char __user *to, size_t size, loff_t *pos)
{
	char text[16];
	int n = scnprintf(text, sizeof(text), "%d\n", atomic_read(&inject_calls));

	return simple_read_from_buffer(to, size, pos, text, n);
}

static const struct file_operations inject_fops = {
	.owner = THIS_MODULE,
	.write = inject_write,
	.read = inject_read,
};

static int __init inject_init(void)
{
	inject_file = debugfs_create_file("rocket-inject", 0600, NULL, NULL, &inject_fops);

	return 0;
}

static void __exit inject_exit(void)
{
	debugfs_remove(inject_file);
	inject_stop();
}

module_init(inject_init);
module_exit(inject_exit);

MODULE_DESCRIPTION("Faults at the calls of kernel functions, for tests");
MODULE_LICENSE("GPL");
