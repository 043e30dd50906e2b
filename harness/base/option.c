/* SPDX-License-Identifier: MIT */
#include "harness/base/option.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/textfile.h"

static void *value_of(const struct bc_option *o, void *options)
{
	return (char *)options + o->offset;
}

static const void *const_value_of(const struct bc_option *o, const void *options)
{
	return (const char *)options + o->offset;
}

void bc_option_init(const struct bc_option *o, void *options)
{
	if (o->type == BC_OPTION_NUMBER || o->type == BC_OPTION_SECONDS || o->type == BC_OPTION_CHOICE)
		*(unsigned *)value_of(o, options) = o->preset;
}

static enum bc_status set_number(const struct bc_option *o, unsigned min, unsigned max, const char *unit,
				 const char *arg, unsigned *out, struct bc_error *err)
{
	uint32_t v = 0;

	if (!bc_u32_parse(arg, &v) || v < min || v > max)
		return bc_fail(err, BC_EUSAGE, "--%s %s: a whole number%s, %u to %u", o->name, arg, unit, min, max);
	*out = v;
	return BC_OK;
}

/* "a, b or c": the words that can be given. */
static void list_words(const struct bc_option *o, char *buf, size_t size)
{
	size_t n = 0, at = 0, len = 0;

	for (size_t i = 0; o->words[i]; i++)
		n += o->words[i][0] != '\0';
	buf[0] = '\0';
	for (size_t i = 0; o->words[i] && len < size; i++) {
		if (!o->words[i][0])
			continue;
		at++;
		len += (size_t)snprintf(buf + len, size - len, "%s%s", o->words[i],
					at + 1 < n    ? ", "
					: at + 1 == n ? " or "
						      : "");
	}
}

static enum bc_status set_choice(const struct bc_option *o, const char *arg, unsigned *out, struct bc_error *err)
{
	char words[200];

	for (unsigned i = 0; o->words[i]; i++) {
		if (!*arg || strcmp(arg, o->words[i]) != 0)
			continue;
		*out = i;
		return BC_OK;
	}
	list_words(o, words, sizeof(words));
	return bc_fail(err, BC_EUSAGE, "--%s %s: it takes %s", o->name, arg, words);
}

static enum bc_status add_item(const struct bc_option *o, const char *arg, struct bc_option_list *list,
			       struct bc_error *err)
{
	const char **grown = realloc(list->item, (list->n + 1) * sizeof(*grown));

	if (!grown)
		return bc_fail(err, BC_ENOMEM, "--%s: out of memory", o->name);
	list->item = grown;
	list->item[list->n++] = arg;
	return BC_OK;
}

bool bc_part_parse(const char *s, struct bc_option_part *out)
{
	const char *slash = strchr(s, '/');
	char first[16] = "";
	uint32_t part = 0, of = 0;

	if (slash && (size_t)(slash - s) < sizeof(first))
		memcpy(first, s, (size_t)(slash - s));
	if (!bc_u32_parse(first, &part) || !bc_u32_parse(slash + 1, &of) || part < 1 || part > of)
		return false;
	*out = (struct bc_option_part){ .part = part, .of = of };
	return true;
}

static enum bc_status set_part(const struct bc_option *o, const char *arg, struct bc_option_part *out,
			       struct bc_error *err)
{
	struct bc_option_part part;

	if (!bc_part_parse(arg, &part) || part.of > o->max)
		return bc_fail(err, BC_EUSAGE, "--%s %s: I/N with I from 1 to N and N up to %u, for example 2/3",
			       o->name, arg, o->max);
	*out = part;
	return BC_OK;
}

static enum bc_status set_seed(const struct bc_option *o, const char *arg, struct bc_option_seed *out,
			       struct bc_error *err)
{
	uint32_t v = 0;

	if (!bc_u32_parse(arg, &v))
		return bc_fail(err, BC_EUSAGE, "--%s %s: a whole number, 0 to 4294967295", o->name, arg);
	*out = (struct bc_option_seed){ .given = true, .value = v };
	return BC_OK;
}

enum bc_status bc_option_set(const struct bc_option *o, void *options, const char *arg, struct bc_error *err)
{
	void *value = value_of(o, options);

	switch (o->type) {
	case BC_OPTION_TEXT:
		if (!*arg)
			return bc_fail(err, BC_EUSAGE, "--%s: its argument %s is empty", o->name, o->argument);
		*(const char **)value = arg;
		break;
	case BC_OPTION_FLAG: *(bool *)value = true; break;
	case BC_OPTION_NUMBER: return set_number(o, o->min, o->max, "", arg, value, err);
	case BC_OPTION_SECONDS: return set_number(o, 1, BC_OPTION_SECONDS_MAX, " of seconds", arg, value, err);
	case BC_OPTION_CHOICE: return set_choice(o, arg, value, err);
	case BC_OPTION_LIST: return add_item(o, arg, value, err);
	case BC_OPTION_PART: return set_part(o, arg, value, err);
	case BC_OPTION_SEED: return set_seed(o, arg, value, err);
	}
	return BC_OK;
}

bool bc_option_is_preset(const struct bc_option *o, const void *options)
{
	const void *value = const_value_of(o, options);

	switch (o->type) {
	case BC_OPTION_TEXT: return !*(const char *const *)value;
	case BC_OPTION_FLAG: return !*(const bool *)value;
	case BC_OPTION_NUMBER:
	case BC_OPTION_SECONDS:
	case BC_OPTION_CHOICE: return *(const unsigned *)value == o->preset;
	case BC_OPTION_LIST: return !((const struct bc_option_list *)value)->n;
	case BC_OPTION_PART: return !((const struct bc_option_part *)value)->of;
	case BC_OPTION_SEED: return !((const struct bc_option_seed *)value)->given;
	}
	return true;
}

static const char *number_text(const struct bc_option *o, unsigned v, char buf[BC_OPTION_BUF])
{
	if (o->type == BC_OPTION_CHOICE)
		return o->words[v];
	(void)snprintf(buf, BC_OPTION_BUF, "%u", v);
	return v == 0 && (o->type == BC_OPTION_SECONDS || o->min > 0) ? "" : buf;
}

const char *bc_option_text(const struct bc_option *o, const void *options, char buf[BC_OPTION_BUF])
{
	const void *value = const_value_of(o, options);
	const struct bc_option_part *part = value;
	const struct bc_option_seed *seed = value;

	switch (o->type) {
	case BC_OPTION_TEXT: return *(const char *const *)value ? *(const char *const *)value : "";
	case BC_OPTION_FLAG: return *(const bool *)value ? "yes" : "no";
	case BC_OPTION_NUMBER:
	case BC_OPTION_SECONDS:
	case BC_OPTION_CHOICE: return number_text(o, *(const unsigned *)value, buf);
	case BC_OPTION_LIST: return "";
	case BC_OPTION_PART:
		(void)snprintf(buf, BC_OPTION_BUF, "%u/%u", part->part, part->of);
		return part->of ? buf : "";
	case BC_OPTION_SEED: (void)snprintf(buf, BC_OPTION_BUF, "%u", seed->value); return seed->given ? buf : "";
	}
	return "";
}

const char *bc_option_preset_text(const struct bc_option *o, char buf[BC_OPTION_BUF])
{
	if (o->type != BC_OPTION_NUMBER && o->type != BC_OPTION_SECONDS && o->type != BC_OPTION_CHOICE)
		return "";
	return o->type == BC_OPTION_CHOICE || o->preset ? number_text(o, o->preset, buf) : "";
}

void bc_option_release(const struct bc_option *o, void *options)
{
	struct bc_option_list *list = value_of(o, options);

	if (o->type != BC_OPTION_LIST)
		return;
	free(list->item);
	*list = (struct bc_option_list){ 0 };
}
