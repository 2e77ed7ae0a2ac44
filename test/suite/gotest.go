package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"
)

// goTests are tests of packages of one Go module.
type goTests struct {
	// dir is the module's folder.
	dir      string
	packages []string
	// run and skip are expressions of test names, as -run and -skip take them; empty: all, and none.
	run, skip string
	// flags are further ones of go test, args those of the tests themselves.
	flags, args []string
	env         []string
	// looks is a folder for what the tests of each package look at; empty: that is not written.
	looks string
}

// stuckAfter ends a package that does not end by itself. Nothing but a hang comes near it.
const stuckAfter = "45m"

// graceful is how long a process that was told to end is waited for.
const graceful = 10 * time.Second

func (g goTests) do(ctx context.Context, log io.Writer) result {
	return g.test(ctx, log, g.packages, g.run)
}

// again runs the tests that failed once more, package by package; what failed as a whole is run as a whole.
func (g goTests) again(ctx context.Context, log io.Writer, failed []outcome) result {
	if slices.ContainsFunc(failed, func(o outcome) bool { return o.whole }) {
		return g.do(ctx, log)
	}
	names := map[string][]string{}
	for _, o := range failed {
		names[o.Package] = append(names[o.Package], topOf(o.Test))
	}
	var all result
	for pkg, tests := range names {
		run := g.run
		if !slices.Contains(tests, "") {
			run = "^(" + strings.Join(tests, "|") + ")$"
		}
		r := g.test(ctx, log, []string{pkg}, run)
		all.cases = append(all.cases, r.cases...)
	}
	return all
}

func (g goTests) test(ctx context.Context, log io.Writer, packages []string, run string) result {
	args := append([]string{"test", "-json", "-vet=off", "-count=1", "-timeout=" + stuckAfter}, g.flags...)
	if g.looks != "" {
		exec, err := recording(g.looks)
		if err != nil {
			return broken(g.folders(packages), err)
		}
		args = append(args, exec)
	}
	if run != "" {
		args = append(args, "-run="+run)
	}
	if g.skip != "" {
		args = append(args, "-skip="+g.skip)
	}
	args = append(args, g.paths(packages)...)
	if len(g.args) > 0 {
		args = append(append(args, "-args"), g.args...)
	}
	r := newReader(log)
	cmd := command(ctx, g.dir, g.env, "go", args...)
	cmd.Stdout = r
	var said bytes.Buffer
	cmd.Stderr = &said
	err := cmd.Run()
	_, _ = log.Write(said.Bytes())
	res := r.result()
	res.busy = busy(cmd)
	var exit *exec.ExitError
	if (errors.As(err, &exit) && len(failures(res.cases)) == 0) || (err != nil && !errors.As(err, &exit)) {
		res.cases = append(res.cases, outcome{Package: g.folders(packages), Status: failed, First: first(said.String() + err.Error()), said: said.String(), whole: true})
	}
	return res
}

// paths are the packages as the go command takes them in the folder of their module. They are written as they are in
// tasks, or as outcomes have them: by the folder of the repository, be it that of the module.
func (g goTests) paths(packages []string) []string {
	out := make([]string, len(packages))
	for i, pkg := range packages {
		out[i] = "./" + strings.TrimPrefix(strings.TrimPrefix(pkg, g.dir), "/")
	}
	return out
}

// folders names packages for people: the first, and how many more there are.
func (g goTests) folders(packages []string) string {
	first := path.Join(g.dir, packages[0])
	if len(packages) == 1 {
		return first
	}
	return fmt.Sprintf("%s and %d more", first, len(packages)-1)
}

// command is a process in a group of its own, which ends as a whole with the context, and with this process.
func command(ctx context.Context, dir string, env []string, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
	cmd.WaitDelay = graceful
	return cmd
}

// event is a line of go test -json.
type event struct {
	Action      string
	Package     string
	ImportPath  string
	Test        string
	Elapsed     float64
	Output      string
	FailedBuild string
}

// reader takes the events of go test.
type reader struct {
	log   io.Writer
	rest  []byte
	said  map[string]*strings.Builder // by name of what is not over
	built map[string]*strings.Builder // by package that is compiled
	out   result
}

func newReader(log io.Writer) *reader {
	return &reader{log: log, said: map[string]*strings.Builder{}, built: map[string]*strings.Builder{}}
}

func (r *reader) Write(p []byte) (int, error) {
	r.rest = append(r.rest, p...)
	for {
		line, rest, whole := bytes.Cut(r.rest, []byte("\n"))
		if !whole {
			return len(p), nil
		}
		r.rest = rest
		r.line(line)
	}
}

func (r *reader) line(line []byte) {
	var e event
	if json.Unmarshal(line, &e) != nil {
		_, _ = r.log.Write(append(line, '\n'))
		return
	}
	switch e.Action {
	case "output":
		_, _ = io.WriteString(r.log, e.Output)
		builder(r.said, e.Package+" "+e.Test).WriteString(e.Output)
		if agrees.MatchString(e.Output) {
			r.out.notes = append(r.out.notes, strings.TrimSpace(e.Output))
		}
	case "build-output":
		_, _ = io.WriteString(r.log, e.Output)
		builder(r.built, e.ImportPath).WriteString(e.Output)
	case "pass", "fail", "skip":
		r.over(e)
	}
}

// agrees is how a conformance suite ends.
var agrees = regexp.MustCompile(`^Test\w*Conformance\w*: \d+ of \d+ .*agree`)

func (r *reader) over(e event) {
	key := e.Package + " " + e.Test
	o := outcome{Package: short(e.Package), Test: e.Test, Status: status(e.Action), Seconds: e.Elapsed}
	if b := r.said[key]; b != nil && o.Status != passed {
		o.said = b.String()
	}
	if b := r.built[e.FailedBuild]; b != nil {
		o.said = b.String()
	}
	delete(r.said, key)
	if o.Test == "" {
		o.died = r.dying(&o, e.Package)
	}
	if o.Status != passed {
		o.First = first(o.said)
	}
	if o.Test != "" || o.Status != skipped { // a package without tests
		r.out.cases = append(r.out.cases, o)
	}
}

// dying reports whether a package failed with its process, and adds the last words of the tests that have no end:
// they may have the reason.
func (r *reader) dying(o *outcome, pkg string) bool {
	died := deadly.MatchString(o.said)
	for _, c := range r.out.cases {
		died = died || c.Package == o.Package && c.Status == failed && deadly.MatchString(c.said)
	}
	for _, key := range slices.Sorted(maps.Keys(r.said)) {
		if test, its := strings.CutPrefix(key, pkg+" "); its && test != "" {
			o.said += r.said[key].String()
			died = true
			delete(r.said, key)
		}
	}
	return died && o.Status == failed
}

// deadly is how a process of tests ends that nothing recovers.
var deadly = regexp.MustCompile(`(?m)^(panic|fatal error|signal|SIG[A-Z]+): `)

func (r *reader) result() result { return r.out }

func builder(m map[string]*strings.Builder, key string) *strings.Builder {
	if m[key] == nil {
		m[key] = &strings.Builder{}
	}
	return m[key]
}

const modulePath = "github.com/causeway-gitops/causeway"

// short is a package by its folder in the repository.
func short(pkg string) string {
	if pkg == modulePath {
		return engine
	}
	return strings.TrimPrefix(pkg, modulePath+"/")
}

var telling = regexp.MustCompile(`_test\.go:\d+: |^panic: |DATA RACE|^fatal error: |: undefined: |^\S+\.go:\d+:\d+: `)

// mostShown bounds the line that stands for a failure.
const mostShown = 300

// first is the first error in what a test said.
func first(said string) string {
	fallback := ""
	lines := bufio.NewScanner(strings.NewReader(said))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		if telling.MatchString(line) {
			return cut(line)
		}
		if fallback == "" && line != "" && !strings.HasPrefix(line, "=== ") && !strings.HasPrefix(line, "--- ") && !strings.HasPrefix(line, "FAIL") {
			fallback = line
		}
	}
	return cut(fallback)
}

func cut(line string) string {
	if len(line) > mostShown {
		return line[:mostShown] + "…"
	}
	return line
}

// failures are what failed, without a test whose subtest did, or a package whose test did, unless that ended all.
func failures(cases []outcome) []outcome {
	above := map[string]bool{}
	for _, o := range cases {
		if o.Status != failed || o.Test == "" {
			continue
		}
		above[o.Package] = true
		for i, c := range o.Test {
			if c == '/' {
				above[o.Package+" "+o.Test[:i]] = true
			}
		}
	}
	var out []outcome
	for _, o := range cases {
		if o.Status == failed && (!above[o.name()] || o.died) {
			out = append(out, o)
		}
	}
	return out
}
