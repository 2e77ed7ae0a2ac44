package schema

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Part is the schema of one chart, and what it is about.
type Part struct {
	Chart string
	// Schema is the text of values.schema.json; a chart without one has none.
	Schema []byte
	// Values are an object where all is well.
	Values any
}

// Verdict is what came of it.
type Verdict struct {
	// Failure says what does not fit, chart by chart; empty where all does.
	Failure string
	// Elsewhere are the addresses that the schemas refer to. Nothing is read
	// from there: what such a reference would ask for is not checked.
	Elsewhere []string
}

// Judge checks the values of charts. An error is about a schema that is broken, and not
// about the values.
func Judge(parts []Part) (Verdict, error) {
	var v Verdict
	var failures strings.Builder
	for _, p := range parts {
		if p.fine() {
			continue
		}
		failure, elsewhere, err := p.judge()
		if err != nil {
			return Verdict{}, fmt.Errorf("the schema of chart %s: %w", p.Chart, err)
		}
		if failure != "" {
			fmt.Fprintf(&failures, "%s:\n%s\n", p.Chart, failure)
		}
		v.Elsewhere = append(v.Elsewhere, elsewhere...)
	}
	v.Failure = cut(failures.String())
	slices.Sort(v.Elsewhere)
	v.Elsewhere = slices.Compact(v.Elsewhere)
	return v, nil
}

// fine reports whether there is nothing to check.
func (p Part) fine() bool {
	_, ok := p.Values.(map[string]any)
	return ok && p.Schema == nil
}

func (p Part) judge() (failure string, elsewhere []string, err error) {
	defer func() {
		if recover() != nil {
			err = errors.New("the library gave up over it")
		}
	}()
	values, ok := p.Values.(map[string]any)
	if !ok {
		return fmt.Sprintf("invalid type for values: expected object (map), got %T", p.Values), nil, nil
	}
	doc, err := parse(p.Schema)
	if err != nil {
		return "", nil, err
	}
	return doc.judge(values)
}
