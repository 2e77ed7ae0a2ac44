package difference

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/itchyny/gojq"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// The bounds of one jq path expression.
const (
	jqWithin = time.Second
	maxJQ    = 16 << 10
	maxPaths = 10_000
)

// Query is a jq path expression that names the parts of an object. It may be
// used by many at the same time.
type Query struct {
	text        string
	del, locate *gojq.Code
}

// queries keeps the expressions that were read: the same few are used for
// every object. It begins anew when it is full.
var queries = struct {
	sync.Mutex
	byText map[string]*Query
}{byText: map[string]*Query{}}

const maxQueries = 1000

// ParseJQ reads a jq path expression. It sees neither the environment nor files.
func ParseJQ(text string) (*Query, error) {
	queries.Lock()
	q, ok := queries.byText[text]
	queries.Unlock()
	if ok {
		return q, nil
	}
	q, err := parseJQ(text)
	if err != nil {
		return nil, err
	}
	queries.Lock()
	defer queries.Unlock()
	if len(queries.byText) >= maxQueries {
		clear(queries.byText)
	}
	queries.byText[text] = q
	return q, nil
}

func parseJQ(text string) (*Query, error) {
	if len(text) > maxJQ {
		return nil, gitops.Problemf(gitops.Invalid, "cannot read a jq path expression of %d bytes: at most %d are taken", len(text), maxJQ)
	}
	if _, err := gojq.Parse(text); err != nil { // on its own: an error is to be about what was written
		return nil, unreadable(text, err)
	}
	q := &Query{text: text}
	for _, part := range []struct {
		function string
		code     **gojq.Code
	}{{"del", &q.del}, {"path", &q.locate}} {
		query, err := gojq.Parse(part.function + "(" + text + ")")
		if err != nil {
			return nil, unreadable(text, err)
		}
		if *part.code, err = gojq.Compile(query); err != nil {
			return nil, unreadable(text, err)
		}
	}
	return q, nil
}

func unreadable(text string, err error) error {
	return gitops.Problemf(gitops.Invalid, "cannot read the jq path expression %q of ignoreDifferences: %w", text, err).
		Do("write a path such as .spec.template.spec.containers[] | select(.name == \"web\") | .image")
}

// Delete returns an object without what the expression names. Where the
// expression fails on this object, it comes back as it is. One that does not
// end in time is an error: nobody can say what it ignores. The object may
// share parts with the result, and is not changed.
func (q *Query) Delete(ctx context.Context, object map[string]any) (map[string]any, error) {
	within, cancel := context.WithTimeout(ctx, jqWithin)
	defer cancel()
	results := q.del.RunWithContext(within, numbers(runtime.DeepCopyJSON(object)))
	result, ok := results.Next()
	if err := q.tooLong(ctx, within, result); err != nil {
		return nil, err
	}
	next, isMap := result.(map[string]any)
	if !ok || !isMap {
		return object, nil
	}
	if _, more := results.Next(); more {
		return object, nil
	}
	integers(next)
	return next, nil
}

// Failure tells why the expression fails on an object, of which it then names
// nothing; nil where it does not fail.
func (q *Query) Failure(ctx context.Context, object map[string]any) error {
	within, cancel := context.WithTimeout(ctx, jqWithin)
	defer cancel()
	result, _ := q.del.RunWithContext(within, numbers(runtime.DeepCopyJSON(object))).Next()
	err, _ := result.(error)
	return err
}

// Paths are the paths of what the expression names in an object: texts for
// the fields of maps, ints for the elements of lists.
func (q *Query) Paths(ctx context.Context, object map[string]any) ([][]any, error) {
	within, cancel := context.WithTimeout(ctx, jqWithin)
	defer cancel()
	var out [][]any
	for results := q.locate.RunWithContext(within, numbers(runtime.DeepCopyJSON(object))); len(out) < maxPaths; {
		result, ok := results.Next()
		if err := q.tooLong(ctx, within, result); err != nil {
			return nil, err
		}
		path, isPath := result.([]any)
		if !ok || !isPath {
			return out, nil
		}
		out = append(out, path)
	}
	return nil, gitops.Problemf(gitops.Invalid, "cannot use the jq path expression %q of ignoreDifferences: it names more than %d fields", q.text, maxPaths)
}

func (q *Query) tooLong(ctx, within context.Context, result any) error {
	err, failed := result.(error)
	if !failed || within.Err() == nil || !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, context.Canceled) {
		return nil
	}
	if ctx.Err() != nil {
		return fmt.Errorf("cannot compare: %w", ctx.Err())
	}
	return gitops.Problemf(gitops.Invalid, "cannot use the jq path expression %q of ignoreDifferences: it did not end within %s", q.text, jqWithin).
		Do("take the endless part out of it")
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
