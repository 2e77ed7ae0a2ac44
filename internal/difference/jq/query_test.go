package jq

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// heap is what is in use when what is not was collected.
func heap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// filled is an expression of nearly as many bytes as are taken, of a part that is repeated.
func filled(part, end string) string {
	return strings.Repeat(part, (maxText-len(end))/len(part)) + end
}

// TestCompiledExpressionsAreBounded reads long expressions without end for one
// project: what stays of them is bounded, and another project's stay.
func TestCompiledExpressionsAreBounded(t *testing.T) {
	before := heap()
	short, err := Parse("blue", "ignoreDifferences", ".spec.blue")
	if err != nil {
		t.Fatal(err)
	}
	for i := range 1000 {
		if _, err := Parse("red", "ignoreDifferences", filled(".//", fmt.Sprint(".a", i))); err != nil {
			t.Fatal(err)
		}
	}
	const most = maxShare + 8<<20
	if took := heap() - before; took > most {
		t.Errorf("a thousand expressions of one project take %d MiB", took>>20)
	}
	if again, err := Parse("red", "ignoreDifferences", ".spec.blue"); again != short {
		t.Errorf("another project's expression was read anew: %v", err)
	}
}

// TestWeightOfExpressions holds what is counted to what expressions take.
func TestWeightOfExpressions(t *testing.T) {
	var names, others []string
	for i := range 60 {
		names, others = append(names, fmt.Sprint("$v", i)), append(others, "?//$x")
	}
	texts := map[string]string{
		"short": ".a", "alternatives": filled(".//", ".a"), "several": filled("1,", ".a"), "optional": filled("..?|", ".a"), "fields": filled(".a,", ".a"),
		"loops": filled(".[]|", ".a"), "calls": filled("any,", ".a"), "functions": filled("def f:.;", ".a"), "negative": filled("-.a,", ".a"),
		"maps": filled("{a},", ".a"), "lists": filled("[.],", ".a"), "updates": filled(".|=.|", ".a"), "sums": filled(".+=1|", ".a"), "tries": filled("try.,", ".a"),
		"slices": filled(".[1:2],", ".a"), "builtins": "walk(.)|gsub(\"a\";\"b\")|paths|splits(\"a\")|todate|limit(1;.)|.a",
		"patterns": ". as [" + strings.Join(names, ",") + "]" + strings.Join(others, "") + "|.a",
	}
	for name, text := range texts {
		t.Run(name, func(t *testing.T) {
			const copies = 50
			before := heap()
			var all []*Query
			for range copies {
				q, err := parse("ignoreDifferences", text)
				if err != nil {
					t.Fatal(err)
				}
				all = append(all, q)
			}
			took := (heap() - before) / copies
			if weight := weightOf(text); took > weight {
				t.Errorf("%d bytes take %d bytes, and count as %d", len(text), took, weight)
			}
			runtime.KeepAlive(all)
		})
	}
}

// TestLongExpressionsAreRefused with what to do.
func TestLongExpressionsAreRefused(t *testing.T) {
	_, err := Parse("red", "ignoreDifferences", strings.Repeat(" ", maxText)+".")
	var p *gitops.Problem
	if !errors.As(err, &p) || p.Fix == "" || !strings.Contains(p.What, "ignoreDifferences of 1025 bytes: at most 1024") || len(p.What) > 300 {
		t.Errorf("got %v", err)
	}
	if _, err := Parse("red", "ignoreDifferences", strings.Repeat(" ", maxText-1)+"."); err != nil {
		t.Errorf("of as many bytes as are taken: %v", err)
	}
}
