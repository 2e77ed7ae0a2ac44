package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"
)

// vitest are tests of the pages, of its own runner: alone in Node.js, or in a browser.
type vitest struct {
	config string
	tier   string
}

// withoutBrowser is set where there is no Chromium.
const withoutBrowser = "CAUSEWAY_WITHOUT_BROWSER"

// webTasks are the tests of the pages; none where npm is not there.
func webTasks(tier string) []task {
	if _, err := exec.LookPath("npm"); err != nil {
		return nil
	}
	tasks := []task{{pages, computes, 15 * time.Second, vitest{"vite.config.ts", tier}}}
	if os.Getenv(withoutBrowser) != "" {
		return tasks
	}
	return append(tasks,
		task{"browser", waits, 140 * time.Second, vitest{"e2e/vitest.config.ts", tier}},
		task{"browser at a fleet", works, 85 * time.Second, vitest{"e2e/real/vitest.config.ts", tier}},
	)
}

func (v vitest) do(ctx context.Context, log io.Writer) result {
	outcomes, err := os.CreateTemp("", "causeway-outcomes-")
	if err != nil {
		return broken("web", err)
	}
	defer os.Remove(outcomes.Name())
	defer outcomes.Close()
	cmd := command(ctx, "web", append(held(), "CAUSEWAY_OUTCOMES="+outcomes.Name(), "CAUSEWAY_TIER="+v.tier),
		"npx", "vitest", "run", "--config", v.config, "--reporter=default", "--reporter=./scripts/outcomes.ts")
	cmd.Stdout, cmd.Stderr = log, log
	err = cmd.Run()
	r, problem := readOutcomes(outcomes)
	r.busy = busy(cmd)
	if problem != nil {
		return broken("web", problem)
	}
	if err != nil && len(failures(r.cases)) == 0 {
		r.cases = append(r.cases, broken("web/"+v.config, err).cases...)
	}
	return r
}

// again runs all of them once more: what one test made of the pages, the next one uses.
func (v vitest) again(ctx context.Context, log io.Writer, _ []outcome) result { return v.do(ctx, log) }

// broken is work that could not be done.
func broken(name string, err error) result {
	return result{cases: []outcome{{Package: name, Status: failed, First: err.Error()}}}
}

// readOutcomes reads a line of JSON for each test.
func readOutcomes(from io.Reader) (result, error) {
	var r result
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var o outcome
		if err := json.Unmarshal(lines.Bytes(), &o); err != nil {
			return result{}, fmt.Errorf("cannot read what the tests of the pages wrote: %w", err)
		}
		o.First = cut(o.First)
		r.cases = append(r.cases, o)
	}
	return r, lines.Err()
}
