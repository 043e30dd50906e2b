/* SPDX-License-Identifier: MIT */
#include "harness/app/config.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/file.h"
#include "harness/base/out.h"
#include "harness/base/textfile.h"

#define CONFIG_MAX ((size_t)1 << 20)

static void put(struct bc_out *o, const char *key, const char *value)
{
	if (!value)
		return;
	bc_putf(o, "%s\t", key);
	bc_put_escaped(o, BC_ESCAPE_VALUE, value);
	bc_put(o, "\n");
}

static void put_list(struct bc_out *o, const char *key, const struct bc_option_list *l)
{
	for (size_t i = 0; i < l->n; i++)
		put(o, key, l->item[i]);
}

enum bc_status bc_app_config_write(const struct bc_app_config *c, struct bc_text *out, struct bc_error *err)
{
	struct bc_out o = { .to = out, .err = err };

	put(&o, "kernels", c->kernels);
	put(&o, "cupti", c->cupti);
	put_list(&o, "filter", &c->filter);
	put_list(&o, "exclude", &c->exclude);
	bc_putf(&o, "want\t%u\nsample\t%u\ntimeout\t%u\ndeadline\t%u\nreplay\t%u\nsplit\t%u\n", c->want, c->sample,
		c->timeout_s, c->deadline_s, c->replay, c->split_graphs);
	return o.st;
}

static enum bc_status add(struct bc_option_list *l, const char *value, struct bc_error *err)
{
	const char **grown = realloc(l->item, (l->n + 1) * sizeof(*grown));

	if (!grown)
		return bc_fail(err, BC_ENOMEM, "out of memory");
	l->item = grown;
	l->item[l->n++] = value;
	return BC_OK;
}

static bool flag(const char *value, bool *out)
{
	*out = strcmp(value, "1") == 0;
	return *out || strcmp(value, "0") == 0;
}

static enum bc_status take(struct bc_app_config *c, const char *key, const char *value, struct bc_error *err)
{
	const struct {
		const char *key;
		const char **text;
		unsigned *number;
		bool *flag;
		struct bc_option_list *list;
	} rows[] = {
		{ "kernels", &c->kernels, NULL, NULL, NULL },	{ "cupti", &c->cupti, NULL, NULL, NULL },
		{ "filter", NULL, NULL, NULL, &c->filter },	{ "exclude", NULL, NULL, NULL, &c->exclude },
		{ "want", NULL, &c->want, NULL, NULL },		{ "sample", NULL, &c->sample, NULL, NULL },
		{ "timeout", NULL, &c->timeout_s, NULL, NULL }, { "deadline", NULL, &c->deadline_s, NULL, NULL },
		{ "replay", NULL, NULL, &c->replay, NULL },	{ "split", NULL, NULL, &c->split_graphs, NULL },
	};
	size_t i = 0;

	while (i < BC_ARRAY_LEN(rows) && strcmp(rows[i].key, key) != 0)
		i++;
	if (i == BC_ARRAY_LEN(rows))
		return bc_fail(err, BC_EDATA, "%.40s: no key of a configuration", key);
	if (rows[i].list)
		return add(rows[i].list, value, err);
	if (rows[i].text)
		*rows[i].text = value;
	else if (rows[i].number ? !bc_u32_parse(value, rows[i].number) : !flag(value, rows[i].flag))
		return bc_fail(err, BC_EDATA, "%s %.40s: not a value", key, value);
	return BC_OK;
}

/* Take the escapes out of @value, in place: they only make it longer. */
static enum bc_status unescape(char *value, struct bc_error *err)
{
	struct bc_text t = { 0 };
	enum bc_status st = bc_unescape(&t, value, strlen(value), err);

	if (!st && t.len && memchr(t.data, '\0', t.len))
		st = bc_fail(err, BC_EDATA, "a NUL byte");
	if (!st)
		(void)bc_strlcpy(value, t.len ? t.data : "", strlen(value) + 1);
	bc_text_release(&t);
	return st;
}

enum bc_status bc_app_config_read(const char *path, struct bc_app_config *out, struct bc_error *err)
{
	struct bc_text t = { 0 };
	struct bc_error why = { .msg = "" };
	enum bc_status st;
	unsigned number = 0;

	memset(out, 0, sizeof(*out));
	st = bc_file_read(path, CONFIG_MAX, &t, err);
	if (st)
		return st;
	out->text = t.data;
	for (char *line = out->text, *next; !st && line && *line; line = next) {
		char *value;

		number++;
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		value = strchr(line, '\t');
		if (value)
			*value++ = '\0';
		st = value ? unescape(value, &why) : bc_fail(&why, BC_EDATA, "a line is key<TAB>value");
		if (!st)
			st = take(out, line, value, &why);
	}
	return st ? bc_fail(err, st, "%s:%u: %s", path, number, why.msg) : BC_OK;
}

void bc_app_config_release(struct bc_app_config *c)
{
	free(c->filter.item);
	free(c->exclude.item);
	free(c->text);
	memset(c, 0, sizeof(*c));
}

static bool matches(const struct bc_option_list *l, const char *mangled, const char *name)
{
	for (size_t i = 0; i < l->n; i++)
		if (fnmatch(l->item[i], name, 0) == 0 || fnmatch(l->item[i], mangled, 0) == 0)
			return true;
	return false;
}

bool bc_app_chosen(const struct bc_app_config *c, const char *mangled, const char *name)
{
	return (!c->filter.n || matches(&c->filter, mangled, name)) && !matches(&c->exclude, mangled, name);
}
