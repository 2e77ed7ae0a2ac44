package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"
)

// The tiers.
const (
	gate = "gate"
	all  = "all"
)

// How many cores work keeps busy: what starts engines and control planes mostly waits for them.
const (
	waits    = 0.5
	works    = 0.9
	computes = 1.5
)

// The modules, by their folders.
const (
	engine    = "."
	kube      = "kube"
	terraform = "terraform/provider"
)

// firstHalf are tests that run beside the others of their package, on a control plane of their own.
const firstHalf = "^Test[A-K]"

// kubeEnd and kubeSelf are the tasks of the control plane's module, pages those of the pages without a browser.
const (
	kubeEnd  = "kube"
	kubeSelf = "kube by itself"
	pages    = "pages"
)

// rest is the task of all packages that have none of their own.
const rest = "all other packages"

// goTasks are the tests in Go. The seconds are those of a run of the gate, beside each other, and only put them in order.
func goTasks() []task {
	return []task{
		goTask("app, A to K", waits, 250, goTests{dir: engine, packages: []string{"internal/app"}, run: firstHalf}),
		goTask("app, the rest", waits, 260, goTests{dir: engine, packages: []string{"internal/app"}, skip: firstHalf}),
		goTask("cli", waits, 240, goTests{dir: engine, packages: []string{"internal/cli"}}),
		goTask("scenarios", waits, 140, goTests{dir: engine, packages: []string{"test/scenario"}}),
		goTask(faults, works, 180, goTests{dir: engine, packages: []string{"test/faults"}}),
		goTask(rest, computes, 580, goTests{dir: engine, flags: []string{"-p=2"}}),
		goTask("provider", waits, 350, goTests{dir: terraform, packages: []string{"..."}}),
		goTask("serve", waits, 150, goTests{dir: engine, packages: []string{"internal/serve"}}),
		goTask(kubeEnd, waits, 60, goTests{dir: kube, packages: []string{"e2e"}, env: held()}),
		goTask(kubeSelf, computes, 10, goTests{dir: kube, packages: []string{"internal/..."}}),
		goTask("tours", waits, 80, goTests{dir: engine, packages: []string{"docs"}}),
		goTask("breakout", waits, 70, goTests{dir: engine, packages: []string{"test/breakout"}}),
		goTask("bridge", waits, 120, goTests{dir: engine, packages: []string{"test/bridge"}}),
		goTask("secrets", waits, 60, goTests{dir: engine, packages: []string{"test/secrets"}}),
		goTask("charts", waits, 65, goTests{dir: engine, packages: []string{"deploy/charts"}}),
		goTask("jq", works, 30, goTests{dir: engine, packages: []string{"internal/difference/jq"}}),
		goTask("fleet", waits, 60, goTests{dir: engine, packages: []string{"internal/fleet"}}),
		goTask("apply", works, 40, goTests{dir: engine, packages: []string{"internal/apply"}}),
		goTask("embedded", works, 35, goTests{dir: engine, packages: []string{"internal/fleet/embedded"}}),
		goTask("schemas", works, 10, goTests{dir: engine, packages: []string{"internal/controller/metadataschema"}}),
	}
}

func goTask(name string, load float64, seconds int, g goTests) task {
	return task{name: name, load: load, usual: time.Duration(seconds) * time.Second, work: g}
}

// tasksOf are the tasks of a tier.
func tasksOf(ctx context.Context, tier string, left []longTest) ([]task, error) {
	packages, err := packagesOf(ctx)
	if err != nil {
		return nil, err
	}
	tasks := withRest(goTasks(), packages)
	switch tier {
	case gate:
		seed, err := seedOf(ctx)
		if err != nil {
			return nil, err
		}
		tasks, err = withoutLong(withFaults(tasks, sample(seed)...), left)
		if err != nil {
			return nil, err
		}
		return onceAlike(append(tasks, webTasks(gate)...)), nil
	case all:
		fuzz, err := fuzzTask(packages)
		if err != nil {
			return nil, err
		}
		return append(withFaults(underRace(tasks), fmt.Sprintf("-seeds=1-%d", schedules), fmt.Sprintf("-planes=1-%d", planes), "-in-flight=50"), append(webTasks(all), corpus, fuzz)...), nil
	}
	return nil, fmt.Errorf("there is no tier %q: it is %s or %s", tier, gate, all)
}

// compiler tells which Go compiles, and how.
var compiler = []string{"go", "env", "GOVERSION", "GOOS", "GOARCH", "CGO_ENABLED", "GOEXPERIMENT", "GOFLAGS"}

// alike are the tasks that the gate does once for the same files.
var alike = map[string]kept{
	kubeEnd:  {files: []string{kube}, built: controlPlane, tool: compiler},
	kubeSelf: {files: []string{kube}, tool: compiler},
	pages:    {files: []string{"web"}, built: installedPackages, tool: []string{"node", "--version"}},
}

// controlPlane is the program that the control plane's tests start.
func controlPlane() []string {
	if named := os.Getenv("CAUSEWAY_KUBE"); named != "" {
		return []string{named}
	}
	return []string{"bin/causeway-kube"}
}

// installedPackages is the list of npm's packages that are there, which may not be those that are asked for.
func installedPackages() []string { return []string{"web/node_modules/.package-lock.json"} }

// byPackage are the tasks of which the gate leaves out the packages that passed with the same inputs. What starts an engine on
// a control plane is none: it depends on nearly all there is, and is also tried by being run often.
var byPackage = []string{rest, "jq", "fleet", "apply", "schemas", "embedded"}

// onceAlike has those tasks done once.
func onceAlike(tasks []task) []task {
	out := slices.Clone(tasks)
	for i, t := range out {
		if k, ok := alike[t.name]; ok {
			k.work, k.name = t.work, t.name
			out[i].work = k
		}
		if g, ok := t.work.(goTests); ok && slices.Contains(byPackage, t.name) {
			out[i].work = sparing{g, t.name}
		}
	}
	return out
}

// inGo are the tests in Go of work; false where it is of others.
func inGo(w work) (goTests, bool) {
	switch w := w.(type) {
	case goTests:
		return w, true
	case kept:
		return inGo(w.work)
	case sparing:
		return w.goTests, true
	}
	return goTests{}, false
}

// change makes tasks of tests in Go anew.
func change(tasks []task, how func(name string, g goTests) goTests) []task {
	out := slices.Clone(tasks)
	for i, t := range out {
		if g, ok := t.work.(goTests); ok {
			out[i].work = how(t.name, g)
		}
	}
	return out
}

// withRest gives the task of all others its packages.
func withRest(tasks []task, packages []string) []task {
	own := map[string]bool{}
	for _, t := range tasks {
		for _, pkg := range t.work.(goTests).packages { //nolint:forcetypeassert // all of them are
			own[pkg] = true
		}
	}
	others := slices.DeleteFunc(slices.Clone(packages), func(pkg string) bool { return own[pkg] })
	return change(tasks, func(name string, g goTests) goTests {
		if name == rest {
			g.packages = others
		}
		return g
	})
}

// withFaults gives the suite of faults its flags.
func withFaults(tasks []task, flags ...string) []task {
	return change(tasks, func(name string, g goTests) goTests {
		if name == faults {
			g.args = flags
		}
		return g
	})
}

// withoutLong leaves out what the long tier is for.
func withoutLong(tasks []task, left []longTest) ([]task, error) {
	var out []task
	for _, t := range tasks {
		g := t.work.(goTests) //nolint:forcetypeassert // all of them are
		var err error
		if g.packages, err = toRun(left, g.dir, g.packages); err != nil {
			return nil, err
		}
		if len(g.packages) == 0 {
			continue
		}
		g.skip = strings.Join(slices.DeleteFunc([]string{g.skip, skipOf(left, g.dir, g.packages)}, func(s string) bool { return s == "" }), "|")
		t.work = g
		out = append(out, t)
	}
	return out, nil
}

// corpus runs public repositories on control planes.
var corpus = goTask("corpus", works, 600, goTests{dir: engine, packages: []string{"test/corpus"}, flags: []string{"-tags=e2e"}})
