package plan

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// The order of waves is that of moving one task after the other, whatever
// defines and holds what.
func TestPullIsAsOneByOne(t *testing.T) {
	for seed := range uint64(1000) {
		tasks := someTasks(rand.New(rand.NewPCG(seed, 1)))
		slices.SortStableFunc(tasks, before)
		want := slices.Clone(tasks)
		oneByOne(want, func(provider, user *task) bool {
			kind, _ := used(user)
			return provider.defines.kind != "" && provider.defines == kind
		})
		oneByOne(want, func(provider, user *task) bool {
			namespace, inOne := occupied(user, "default")
			return isNamespace(provider.action.Key) && inOne && namespace == provider.action.Key.Name
		})
		got := pull(slices.Clone(tasks), defined, used)
		got = pull(got, created, func(t *task) (string, bool) { return occupied(t, "default") })
		if diff := cmp.Diff(told(want), told(got)); diff != "" {
			t.Fatalf("the order of random tasks %d is another one (-one by one +got):\n%s", seed, diff)
		}
	}
}

// oneByOne is the rule of order: each provider in turn goes right before the
// first task that needs it.
func oneByOne(tasks []task, needs func(provider, user *task) bool) {
	for i := range tasks {
		provider := tasks[i]
		if provider.prune() {
			continue
		}
		at := slices.IndexFunc(tasks[:i], func(user task) bool { return !user.prune() && needs(&provider, &user) })
		if at < 0 {
			continue
		}
		provider.phase, provider.wave = tasks[at].phase, tasks[at].wave
		copy(tasks[at+1:i+1], tasks[at:i])
		tasks[at] = provider
	}
}

func told(tasks []task) []string {
	out := make([]string, 0, len(tasks))
	for i := range tasks {
		t := &tasks[i]
		out = append(out, fmt.Sprintf("%s %d %s %v", t.phase, t.wave, t.action.Key, t.defines))
	}
	return out
}

// someTasks are definitions, those of definitions among them, namespaces, and
// objects of few kinds in few namespaces, some of which go.
func someTasks(r *rand.Rand) []task {
	const definitions = "CustomResourceDefinition"
	phases := []gitops.Phase{gitops.PreSync, gitops.Sync, gitops.PostSync}
	names := []string{"a", "b", "default"}
	tasks := make([]task, 0, 20) //nolint:mnd // as many as there may be
	for n := range r.IntN(cap(tasks)) {
		of := task{phase: phases[r.IntN(len(phases))], wave: r.IntN(3)} //nolint:mnd // some waves
		key := &of.action.Key
		key.Name = strconv.Itoa(n)
		switch r.IntN(4) { //nolint:mnd // as many as there are cases
		case 0:
			*key = gitops.Key{Group: "apiextensions.k8s.io", Kind: definitions, Name: key.Name}
			of.defines = groupKind{"x", names[r.IntN(2)]} //nolint:mnd // of the names
			if r.IntN(3) == 0 {
				of.defines = groupKind{key.Group, definitions}
			}
		case 1:
			*key = gitops.Key{Kind: "Namespace", Name: names[r.IntN(len(names))]}
		default:
			*key = gitops.Key{Group: "x", Kind: names[r.IntN(2)], Namespace: []string{"", "a", "b"}[r.IntN(3)], Name: key.Name}
		}
		if r.IntN(6) > 0 {
			of.action.Desired = &gitops.Manifest{}
		}
		tasks = append(tasks, of)
	}
	return tasks
}
