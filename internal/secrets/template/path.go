package template

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// step goes from a value to one inside it: to a field, or to an item of a list.
type step struct {
	field string
	index int
	item  bool
}

const (
	largestIndex = 10_000
	mostSteps    = 100
)

// stepsOf reads a path such as spec.rules[0].host.
func stepsOf(path string) ([]step, error) {
	var steps []step
	for _, segment := range strings.Split(path, ".") {
		name, indexes, _ := strings.Cut(segment, "[")
		if name == "" {
			return nil, errors.New("empty segment: write it as spec.rules[0].host")
		}
		steps = append(steps, step{field: name})
		if len(name) == len(segment) {
			continue
		}
		items, err := itemsOf("[" + indexes)
		if err != nil {
			return nil, err
		}
		steps = append(steps, items...)
	}
	if len(steps) > mostSteps {
		return nil, fmt.Errorf("more than %d steps", mostSteps)
	}
	return steps, nil
}

// itemsOf reads [0][1].
func itemsOf(text string) ([]step, error) {
	var steps []step
	for text != "" {
		if text[0] != '[' {
			return nil, fmt.Errorf("unexpected %q after ']'", text)
		}
		number, rest, closed := strings.Cut(text[1:], "]")
		if !closed {
			return nil, errors.New("unterminated '['")
		}
		index, err := strconv.Atoi(number)
		switch {
		case err != nil:
			return nil, fmt.Errorf("index %q is no number", number)
		case index < 0:
			return nil, fmt.Errorf("negative index %d", index)
		case index > largestIndex:
			return nil, fmt.Errorf("index %d exceeds maximum (%d)", index, largestIndex)
		}
		steps, text = append(steps, step{index: index, item: true}), rest
	}
	return steps, nil
}

// lookUp is the value at the end of a path, if there is one.
func lookUp(v any, steps []step) (any, bool) {
	for _, s := range steps {
		switch in := v.(type) {
		case map[string]any:
			next, ok := in[s.field]
			if s.item || !ok {
				return nil, false
			}
			v = next
		case []any:
			if !s.item || s.index >= len(in) {
				return nil, false
			}
			v = in[s.index]
		default:
			return nil, false
		}
	}
	return v, true
}

// put sets the value at the end of a path, and makes what is not there on the way.
func put(object map[string]any, steps []step, v any) error {
	_, err := with(object, steps, v)
	return err
}

// with is a value in which the end of a path is another one.
func with(in any, steps []step, v any) (any, error) {
	if len(steps) == 0 {
		return v, nil
	}
	if steps[0].item {
		return withItem(in, steps, v)
	}
	return withField(in, steps, v)
}

func withField(in any, steps []step, v any) (any, error) {
	fields, ok := in.(map[string]any)
	switch {
	case in == nil:
		fields = map[string]any{}
	case !ok:
		return nil, fmt.Errorf("expected map at key %q but found %T", steps[0].field, in)
	}
	inner, err := with(fields[steps[0].field], steps[1:], v)
	if err != nil {
		return nil, err
	}
	fields[steps[0].field] = inner
	return fields, nil
}

func withItem(in any, steps []step, v any) (any, error) {
	items, ok := in.([]any)
	if in != nil && !ok {
		return nil, fmt.Errorf("expected list at index %d but found %T", steps[0].index, in)
	}
	for len(items) <= steps[0].index {
		items = append(items, nil)
	}
	inner, err := with(items[steps[0].index], steps[1:], v)
	if err != nil {
		return nil, err
	}
	items[steps[0].index] = inner
	return items, nil
}
