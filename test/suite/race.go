package main

import (
	"slices"
	"strings"
)

// leftOut is a package that does not run under the race detector, or all in and below a folder that ends with /...
type leftOut struct{ packages, reason string }

// notUnderRace are all that the long tier does not run under the race detector: whatever is new runs there.
var notUnderRace = []leftOut{
	{".", "reads source files, and has no code"},
	{"bench/...", "measures time and memory, of which the detector takes most"},
	{"cmd/...", "starts the command line, and has no tests"},
	{"deploy/...", "looks at charts and files, with programs that the detector does not see into"},
	{"docs/...", "runs what pages say, as processes that the detector does not see into"},
	{"examples", "looks at files"},
	{"internal/cli", "takes minutes for its control planes, three times as long with the detector; the engine that it starts has it in internal/app and internal/serve"},
	{"internal/difference/jq", "ends at bounds on memory, of which the detector alone takes more"},
	{"internal/memlimit", "ends at bounds on memory, of which the detector alone takes more"},
	{"test/breakout", "plays for minutes what the engine does in internal/app with the detector"},
	{"test/bridge", "starts the programs as processes that the detector does not see into"},
	{"test/corpus", "renders for minutes what internal/render does with the detector"},
	{"test/faults/...", "plays hundreds of schedules, and the engine as a process"},
	{"test/scenario", "plays for minutes what the engine does in internal/app with the detector"},
	{"web/...", "embeds the pages, and has no tests in Go"},
}

// inBothWays have some tests that the detector's memory leaves out: they run without it, too.
var inBothWays = []string{
	"internal/render/directory", "internal/render/helm/schema", "internal/render/kustomize", "internal/render/process", "internal/worker",
}

// has reports whether a package is one of those that are left out.
func (l leftOut) has(pkg string) bool {
	folder, below := strings.CutSuffix(l.packages, "/...")
	return pkg == folder || below && strings.HasPrefix(pkg, folder+"/")
}

// isRaced reports whether a package runs under the race detector.
func isRaced(pkg string) bool {
	return !slices.ContainsFunc(notUnderRace, func(l leftOut) bool { return l.has(pkg) })
}

// slower is how much longer tests take under the race detector.
const slower = 3

// underRace puts the packages of the engine under the race detector, but for those that are left out.
func underRace(tasks []task) []task {
	var out []task
	for _, t := range tasks {
		g, ok := t.work.(goTests)
		if !ok || g.dir != engine {
			out = append(out, t)
			continue
		}
		raced, plain := g, g
		raced.packages = slices.DeleteFunc(slices.Clone(g.packages), func(pkg string) bool { return !isRaced(pkg) })
		plain.packages = slices.DeleteFunc(slices.Clone(g.packages), func(pkg string) bool { return isRaced(pkg) && !slices.Contains(inBothWays, pkg) })
		if len(raced.packages) > 0 {
			raced.flags = append(slices.Clone(g.flags), "-race")
			raced.env = append(slices.Clone(g.env), "CGO_ENABLED=1")
			out = append(out, task{name: t.name + ", race", load: t.load, usual: slower * t.usual, work: raced})
		}
		if len(plain.packages) > 0 {
			out = append(out, task{name: t.name, load: t.load, usual: t.usual, work: plain})
		}
	}
	return out
}
