//go:build e2e

package corpus

import (
	"bufio"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// cost is what the engine takes: processor time, and requests as the API servers count them.
type cost struct {
	fleet *fleet
	cpu   time.Duration
	// requests by verb.
	requests map[string]int
}

func (f *fleet) startCost(t *testing.T) *cost {
	t.Helper()
	return &cost{f, cpuTime(t), f.requests(t)}
}

// spent is the cost since the start. The processor time has the test's own in it.
func (c *cost) spent(t *testing.T) *cost {
	t.Helper()
	now := &cost{c.fleet, cpuTime(t) - c.cpu, c.fleet.requests(t)}
	for verb, n := range c.requests {
		now.requests[verb] -= n
	}
	return now
}

func (c *cost) per(apps int) string {
	all := 0
	var verbs []string
	for _, verb := range slices.Sorted(maps.Keys(c.requests)) {
		if c.requests[verb] == 0 {
			continue
		}
		all += c.requests[verb]
		verbs = append(verbs, fmt.Sprintf("%s %d", verb, c.requests[verb]))
	}
	return fmt.Sprintf("%.1f CPU seconds, %.1f requests an application (%s)", c.cpu.Seconds(), float64(all)/float64(apps), strings.Join(verbs, ", "))
}

func cpuTime(t *testing.T) time.Duration {
	t.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		t.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

func (f *fleet) requests(t *testing.T) map[string]int {
	t.Helper()
	out := map[string]int{}
	for _, path := range f.audits {
		if err := countRequests(path, out); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// countRequests counts what the engine asked for: not the control plane's own components, and not this test.
func countRequests(path string, into map[string]int) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var entry struct {
			Verb, UserAgent string
			ObjectRef       struct{ Resource, Subresource string }
		}
		if err := json.Unmarshal(lines.Bytes(), &entry); err != nil {
			continue // the last line may be half written
		}
		engine := strings.HasPrefix(entry.UserAgent, "causeway") || strings.HasPrefix(entry.UserAgent, "corpus.test")
		if engine && !strings.HasPrefix(entry.UserAgent, "causeway-kube") {
			into[strings.TrimSuffix(entry.Verb+" "+entry.ObjectRef.Resource+"/"+entry.ObjectRef.Subresource, "/")]++
		}
	}
	return lines.Err()
}
