package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
)

func someLong() []longTest { return []longTest{{"internal/app", "TestA", "x"}} }

// TestEveryPackageIsTested holds both tiers to all packages: one that is in none would never be tested.
func TestEveryPackageIsTested(t *testing.T) {
	t.Chdir("../..")
	packages, err := packagesOf(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, tier := range []string{gate, all} {
		tasks, err := tasksOf(t.Context(), tier, someLong())
		if err != nil {
			t.Fatal(err)
		}
		for _, pkg := range packages {
			in := slices.ContainsFunc(tasks, func(task task) bool {
				g, ok := inGo(task.work)
				return ok && g.dir == engine && slices.Contains(g.packages, pkg)
			})
			nothing, err := idle(someLong(), pkg)
			if err != nil {
				t.Fatal(err)
			}
			if !in && (tier == all || !nothing) {
				t.Errorf("tier %s does not test %s", tier, pkg)
			}
		}
	}
}

func TestTiers(t *testing.T) {
	t.Chdir("../..")
	quick, err := tasksOf(t.Context(), gate, someLong())
	if err != nil {
		t.Fatal(err)
	}
	long, err := tasksOf(t.Context(), all, someLong())
	if err != nil {
		t.Fatal(err)
	}
	if n := skipping(quick, "^TestA$"); n != 2 {
		t.Errorf("%d tasks of the gate leave out the long test, want both of its package", n)
	}
	if n := skipping(long, "^TestA$"); n != 0 {
		t.Errorf("%d tasks of all tests leave one out", n)
	}
	if !slices.ContainsFunc(long, func(t task) bool { return t.name == "app, the rest, race" }) {
		t.Error("the engine does not run under the race detector")
	}
	if _, err := tasksOf(t.Context(), "some", nil); err == nil || !strings.Contains(err.Error(), "gate or all") {
		t.Errorf("an unknown tier: got %v", err)
	}
}

// TestFuzz makes input up for every fuzz test there is, and for none while a change is decided about.
func TestFuzz(t *testing.T) {
	t.Chdir("../..")
	fuzzes := func(tier string) fuzzing {
		tasks, err := tasksOf(t.Context(), tier, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, task := range tasks {
			if f, ok := task.work.(fuzzing); ok {
				return f
			}
		}
		return nil
	}
	if f := fuzzes(gate); f != nil {
		t.Errorf("the gate makes up input: %v", f)
	}
	long := fuzzes(all)
	for pkg, name := range map[string]string{"internal/policy": "FuzzHours", "internal/policy/depend": "FuzzParse", "api/argoproj/v1alpha1": "FuzzApplicationDecode"} {
		if !slices.ContainsFunc(long, func(g goTests) bool {
			return g.packages[0] == pkg && g.run == fuzzRun(name) && slices.Contains(g.flags, "-fuzz=^"+name+"$")
		}) {
			t.Errorf("all tests have no input made up for %s of %s", name, pkg)
		}
	}
	if again := long.again(cancelled(t), nil, []outcome{{Package: "internal/policy", Test: "FuzzHours/1"}}); again.cases != nil {
		t.Errorf("it is tried again after the end: %v", again)
	}
}

func cancelled(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx
}

func skipping(tasks []task, expression string) int {
	n := 0
	for _, t := range tasks {
		if g, ok := inGo(t.work); ok && strings.Contains(g.skip, expression) {
			n++
		}
	}
	return n
}

func TestSample(t *testing.T) {
	for seed := range uint64(2000) {
		var from, to int
		flags := sample(seed)
		if _, err := fmt.Sscanf(flags[0], "-seeds=%d-%d", &from, &to); err != nil {
			t.Fatal(err)
		}
		if from < 1 || to > schedules || to-from != sampled-1 {
			t.Fatalf("seed %d: %v", seed, flags)
		}
	}
}
