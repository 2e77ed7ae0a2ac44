package main

import (
	"slices"
	"strings"
)

// concurrent are the folders of the engine whose packages run under the race detector in the long tier.
var concurrent = []string{
	"app", "apply", "auth", "controller", "difference", "fleet", "generate", "host", "observe", "plan", "policy", "preview", "render", "report",
	"serve", "server", "source", "store",
}

// notUnderRace are those of them that end at bounds on memory, of which the detector alone takes more.
var notUnderRace = []string{"internal/difference/jq"}

// inBothWays have some tests that the detector's memory leaves out: they run without it, too.
var inBothWays = []string{"internal/render/directory", "internal/render/process"}

func isConcurrent(pkg string) bool {
	parts := strings.Split(pkg, "/")
	return len(parts) > 1 && parts[0] == "internal" && slices.Contains(concurrent, parts[1]) && !slices.Contains(notUnderRace, pkg)
}

// slower is how much longer tests take under the race detector.
const slower = 3

// underRace puts the engine's concurrent packages under the race detector.
func underRace(tasks []task) []task {
	var out []task
	for _, t := range tasks {
		g, ok := t.work.(goTests)
		if !ok || g.dir != engine {
			out = append(out, t)
			continue
		}
		raced, plain := g, g
		raced.packages = slices.DeleteFunc(slices.Clone(g.packages), func(pkg string) bool { return !isConcurrent(pkg) })
		plain.packages = slices.DeleteFunc(slices.Clone(g.packages), func(pkg string) bool { return isConcurrent(pkg) && !slices.Contains(inBothWays, pkg) })
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
