package engine

import (
	"slices"
	"strings"
	"text/template"
)

// lists are the functions that make lists and maps and keep values in them.
func (s *state) lists() template.FuncMap {
	lib := library()
	list, _ := lib["list"].(func(...any) []any)
	dict, _ := lib["dict"].(func(...any) map[string]any)
	set, _ := lib["set"].(func(map[string]any, string, any) map[string]any)
	concat, _ := lib["concat"].(func(...any) any)
	kept := func(v ...any) ([]any, error) { return list(v...), s.produce(shallow(v...)) }
	out := template.FuncMap{
		"list": kept, "tuple": kept,
		"dict": func(v ...any) (map[string]any, error) {
			if err := s.keyed(v); err != nil {
				return nil, err
			}
			return dict(v...), s.produce(64 + shallow(v...))
		},
		"set": func(m map[string]any, key string, v any) (map[string]any, error) {
			return set(m, key, v), s.produce(int64(len(key)) + shallow(v))
		},
		"concat": func(lists ...any) (any, error) {
			n := 0
			for _, l := range lists {
				n += lengthOf(l)
			}
			if err := s.items(n); err != nil {
				return nil, err
			}
			return concat(lists...), nil
		},
	}
	out["slice"], out["mustSlice"] = s.slice, s.mustSlice
	sorted, _ := lib["sortAlpha"].(func(any) []string)
	out["sortAlpha"] = func(l any) ([]string, error) {
		if err := s.admit(l); err != nil {
			return nil, err
		}
		if texts, ok := l.([]string); ok {
			l = slices.Clone(texts) // it is sorted in place, and may be the chart's own
		}
		return sorted(l), nil
	}
	for _, name := range []string{"append", "push", "prepend"} {
		f, _ := lib[name].(func(any, any) []any)
		out[name] = func(l, v any) ([]any, error) {
			if err := s.added(l, v); err != nil {
				return nil, err
			}
			return f(l, v), nil
		}
	}
	for _, name := range []string{"mustAppend", "mustPush", "mustPrepend"} {
		f, _ := lib[name].(func(any, any) ([]any, error))
		out[name] = func(l, v any) ([]any, error) {
			if err := s.added(l, v); err != nil {
				return nil, err
			}
			return f(l, v)
		}
	}
	s.compare(out)
	s.merges(out)
	s.splits(out)
	return out
}

// keyed counts the keys of a map that are no texts: they are printed.
func (s *state) keyed(pairs []any) error {
	for i := 0; i < len(pairs); i += 2 {
		if _, ok := pairs[i].(string); ok {
			continue
		}
		if err := s.admit(pairs[i]); err != nil {
			return err
		}
	}
	return nil
}

// longList is the length from which on a copy of a list counts in full.
const longList = 4096

// items counts a list that is copied.
func (s *state) items(n int) error {
	if n > maxItems {
		return &limitError{"a list would have more than a million items"}
	}
	if n > longList {
		return s.produce(16 * int64(n))
	}
	return s.produce(4 * int64(n))
}

func (s *state) added(list, v any) error {
	if err := s.items(lengthOf(list) + 1); err != nil {
		return err
	}
	return s.produce(shallow(v))
}

// compare has the functions that compare each item with others.
func (s *state) compare(out template.FuncMap) {
	lib := library()
	uniq, _ := lib["uniq"].(func(any) []any)
	mustUniq, _ := lib["mustUniq"].(func(any) ([]any, error))
	has, _ := lib["has"].(func(any, any) bool)
	mustHas, _ := lib["mustHas"].(func(any, any) (bool, error))
	without, _ := lib["without"].(func(any, ...any) []any)
	mustWithout, _ := lib["mustWithout"].(func(any, ...any) ([]any, error))
	square := s.compared
	out["uniq"] = func(l any) ([]any, error) {
		if err := square(l, lengthOf(l)); err != nil {
			return nil, err
		}
		return uniq(l), nil
	}
	out["mustUniq"] = func(l any) ([]any, error) {
		if err := square(l, lengthOf(l)); err != nil {
			return nil, err
		}
		return mustUniq(l)
	}
	out["has"] = func(v, l any) (bool, error) { return has(v, l), square(l, 1) }
	out["mustHas"] = func(v, l any) (bool, error) {
		if err := square(l, 1); err != nil {
			return false, err
		}
		return mustHas(v, l)
	}
	out["without"] = func(l any, v ...any) ([]any, error) {
		if err := square(l, len(v)); err != nil {
			return nil, err
		}
		return without(l, v...), nil
	}
	out["mustWithout"] = func(l any, v ...any) ([]any, error) {
		if err := square(l, len(v)); err != nil {
			return nil, err
		}
		return mustWithout(l, v...)
	}
}

// perCompared is how many bytes are compared in one step.
const perCompared = 4096

// compared counts that all items of a list are compared so many times.
func (s *state) compared(list any, times int) error {
	size, err := s.measure(list)
	if err != nil {
		return err
	}
	return s.step(int64(lengthOf(list))*int64(times)/8 + size.Bytes/perCompared*int64(times))
}

// merges has the functions that copy nested values.
func (s *state) merges(out template.FuncMap) {
	lib := library()
	for _, name := range []string{"merge", "mergeOverwrite"} {
		f, _ := lib[name].(func(map[string]any, ...map[string]any) any)
		out[name] = func(into map[string]any, from ...map[string]any) (any, error) {
			if err := s.merged(into, from); err != nil {
				return nil, err
			}
			return f(into, from...), nil
		}
	}
	for _, name := range []string{"mustMerge", "mustMergeOverwrite"} {
		f, _ := lib[name].(func(map[string]any, ...map[string]any) (any, error))
		out[name] = func(into map[string]any, from ...map[string]any) (any, error) {
			if err := s.merged(into, from); err != nil {
				return nil, err
			}
			return f(into, from...)
		}
	}
	deepCopy, _ := lib["deepCopy"].(func(any) any)
	mustDeepCopy, _ := lib["mustDeepCopy"].(func(any) (any, error))
	out["deepCopy"] = func(v any) (any, error) {
		if err := s.copied(v); err != nil {
			return nil, err
		}
		return deepCopy(v), nil
	}
	out["mustDeepCopy"] = func(v any) (any, error) {
		if err := s.copied(v); err != nil {
			return nil, err
		}
		return mustDeepCopy(v)
	}
}

func (s *state) merged(into map[string]any, from []map[string]any) error {
	size, err := s.measure(into)
	if err != nil {
		return err
	}
	bytes := size.Bytes
	for _, f := range from {
		more, err := s.measure(f)
		if err != nil {
			return err
		}
		bytes += more.Bytes
	}
	// Nested values are shared, not copied.
	return s.produce(bytes / 8)
}

func (s *state) copied(v any) error {
	size, err := s.measure(v)
	if err != nil {
		return err
	}
	return s.produce(size.Bytes)
}

// splits has the functions that cut a text into many.
func (s *state) splits(out template.FuncMap) {
	lib := library()
	splitList, _ := lib["splitList"].(func(string, string) []string)
	split, _ := lib["split"].(func(string, string) map[string]string)
	splitn, _ := lib["splitn"].(func(string, int, string) map[string]string)
	out["splitList"] = func(separator, text string) ([]string, error) {
		if err := s.produce(16 * int64(strings.Count(text, separator)+1)); err != nil {
			return nil, err
		}
		return splitList(separator, text), s.work(len(text))
	}
	out["split"] = func(separator, text string) (map[string]string, error) {
		if err := s.produce(128 * int64(strings.Count(text, separator)+1)); err != nil {
			return nil, err
		}
		return split(separator, text), s.work(len(text))
	}
	out["splitn"] = func(separator string, n int, text string) (map[string]string, error) {
		if err := s.produce(128 * int64(strings.Count(text, separator)+1)); err != nil {
			return nil, err
		}
		return splitn(separator, n, text), s.work(len(text))
	}
}

// bindList counts the lists that functions of common forms give.
func (s *state) bindList(f any) any {
	switch f := f.(type) {
	case func(any) []any:
		return func(l any) ([]any, error) {
			if err := s.items(lengthOf(l)); err != nil {
				return nil, err
			}
			return f(l), nil
		}
	case func(any) ([]any, error):
		return func(l any) ([]any, error) {
			if err := s.items(lengthOf(l)); err != nil {
				return nil, err
			}
			return f(l)
		}
	case func(int, any) [][]any:
		return func(n int, l any) ([][]any, error) {
			if err := s.produce(40 * int64(lengthOf(l))); err != nil {
				return nil, err
			}
			return f(n, l), nil
		}
	case func(int, any) ([][]any, error):
		return func(n int, l any) ([][]any, error) {
			if err := s.produce(40 * int64(lengthOf(l))); err != nil {
				return nil, err
			}
			return f(n, l)
		}
	}
	return s.bindMap(f)
}

// bindMap counts what is made of maps.
func (s *state) bindMap(f any) any {
	switch f := f.(type) {
	case func(map[string]any) []any:
		return func(m map[string]any) ([]any, error) {
			if err := s.items(len(m)); err != nil {
				return nil, err
			}
			return f(m), nil
		}
	case func(...map[string]any) []string:
		return func(maps ...map[string]any) ([]string, error) {
			n := 0
			for _, m := range maps {
				n += len(m)
			}
			if err := s.items(n); err != nil {
				return nil, err
			}
			return f(maps...), nil
		}
	case func(map[string]any, ...string) map[string]any:
		return func(m map[string]any, keys ...string) (map[string]any, error) {
			if err := s.produce(32 * int64(len(m))); err != nil {
				return nil, err
			}
			return f(m, keys...), nil
		}
	}
	return s.bindCast(f)
}
