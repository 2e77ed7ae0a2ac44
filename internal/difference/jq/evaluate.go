package jq

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/itchyny/gojq"
)

// within is how long one evaluation may take.
const within = time.Second

var (
	errTime  = fmt.Errorf("it did not end within %s", within)
	errNames = errors.New("it names too many fields")
)

// What is asked about an object.
const (
	find   = "find"
	remove = "remove"
)

// question is what an expression is to do with an object.
type question struct {
	Verb   string         `json:"verb"`
	Text   string         `json:"text"`
	Object map[string]any `json:"object"`
}

// answer is what came of it.
type answer struct {
	// Paths of what the expression names, up to where it fails.
	Paths [][]any `json:"paths,omitempty"`
	// Object is what is left where the named parts were to be removed; nil
	// where that is no object.
	Object map[string]any `json:"object,omitempty"`
	// Failure is why the expression fails on the object, with no value of it.
	Failure string `json:"failure,omitempty"`
	// Stopped is why a worker stopped it: it named too much, or took too long.
	Stopped string `json:"stopped,omitempty"`
	// Took is what a worker used of its processor.
	Took time.Duration `json:"took,omitempty"`
}

// evaluate answers in this process, until the context ends. The object of the
// question is used up.
func (q *Query) evaluate(limited context.Context, about question) (*answer, error) {
	numbers(about.Object)
	paths, failure := q.run(limited, about.Object)
	switch {
	case errors.Is(failure, context.DeadlineExceeded), errors.Is(failure, context.Canceled):
		return nil, errTime
	case errors.Is(failure, errNames):
		return nil, failure
	}
	a := &answer{}
	if about.Verb == find {
		a.Paths = paths
	} else if failure == nil {
		a.Object, failure = without(about.Object, paths)
	}
	if failure != nil {
		a.Failure = kindOf(failure)
	}
	return a, nil
}

// run collects the paths of what the expression names.
func (q *Query) run(ctx context.Context, object map[string]any) ([][]any, error) {
	var out [][]any
	elements := 0
	for results := q.locate.RunWithContext(ctx, object); ; {
		result, ok := results.Next()
		if !ok {
			return out, nil
		}
		if err, failed := result.(error); failed {
			return out, err
		}
		path, ok := result.([]any)
		if !ok {
			return out, errNoPath
		}
		if elements += 1 + len(path); elements > maxElements {
			return nil, errNames
		}
		out = append(out, path)
	}
}

// delpaths removes from an object what paths name.
var delpaths = func() *gojq.Code {
	query, err := gojq.Parse("delpaths($paths)")
	if err != nil {
		panic(err)
	}
	code, err := gojq.Compile(query, gojq.WithVariables([]string{"$paths"}))
	if err != nil {
		panic(err)
	}
	return code
}()

func without(object map[string]any, paths [][]any) (map[string]any, error) {
	list := make([]any, len(paths))
	for i, p := range paths {
		list[i] = p
	}
	result, _ := delpaths.Run(object, list).Next()
	if err, failed := result.(error); failed {
		return nil, err
	}
	left, _ := result.(map[string]any)
	integers(left)
	return left, nil
}

// numbers turns whole numbers into the type that gojq knows, in place.
func numbers(v any) any {
	switch v := v.(type) {
	case int64:
		return int(v)
	case map[string]any:
		for key, item := range v {
			v[key] = numbers(item)
		}
	case []any:
		for i, item := range v {
			v[i] = numbers(item)
		}
	}
	return v
}

// integers is the inverse of numbers.
func integers(v any) any {
	switch v := v.(type) {
	case int:
		return int64(v)
	case map[string]any:
		for key, item := range v {
			v[key] = integers(item)
		}
	case []any:
		for i, item := range v {
			v[i] = integers(item)
		}
	}
	return v
}
