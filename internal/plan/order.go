package plan

import (
	"cmp"
	"slices"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// task is one object in one phase of a sync.
type task struct {
	phase  gitops.Phase
	wave   int
	action gitops.Action
	// defines is set for a CustomResourceDefinition: the group and kind of its objects.
	defines groupKind
}

type groupKind struct{ group, kind string }

func (t *task) prune() bool { return t.action.Desired == nil }

var phaseRank = map[gitops.Phase]int{gitops.PreSync: 0, gitops.Sync: 1, gitops.PostSync: 2, gitops.SyncFail: 3}

// kindOrder is the order in which the kinds of a wave are applied, whatever
// their group. Other kinds come last, by name.
var kindOrder = []string{
	"Namespace", "NetworkPolicy", "ResourceQuota", "LimitRange", "PodSecurityPolicy", "PodDisruptionBudget", "ServiceAccount",
	"Secret", "SecretList", "ConfigMap", "StorageClass", "PersistentVolume", "PersistentVolumeClaim", "CustomResourceDefinition",
	"ClusterRole", "ClusterRoleList", "ClusterRoleBinding", "ClusterRoleBindingList", "Role", "RoleList", "RoleBinding", "RoleBindingList",
	"Service", "DaemonSet", "Pod", "ReplicationController", "ReplicaSet", "Deployment", "HorizontalPodAutoscaler", "StatefulSet",
	"Job", "CronJob", "IngressClass", "Ingress", "APIService",
}

var kindRank = ranks(kindOrder)

func ranks(kinds []string) map[string]int {
	m := make(map[string]int, len(kinds))
	for i, kind := range kinds {
		m[kind] = i
	}
	return m
}

func rank(kind string) int {
	if r, ok := kindRank[kind]; ok {
		return r
	}
	return len(kindOrder)
}

// order lays tasks out in waves. namespace is the application's: objects
// without one count as being in it. Rules: the suite conformance/order.
func order(tasks []task, namespace string, pruneLast bool) []gitops.Wave {
	mirrorPrunes(tasks)
	delayPrunes(tasks, pruneLast)
	slices.SortStableFunc(tasks, before)
	tasks = pull(tasks, defined, used)
	tasks = pull(tasks, created, func(t *task) (string, bool) { return occupied(t, namespace) })
	return waves(tasks)
}

func before(a, b task) int {
	return cmp.Or(
		cmp.Compare(phaseRank[a.phase], phaseRank[b.phase]),
		cmp.Compare(a.wave, b.wave),
		cmp.Compare(rank(a.action.Key.Kind), rank(b.action.Key.Kind)),
		cmp.Compare(a.action.Key.Name, b.action.Key.Name),
		// The rest is for plans that are equal whatever order the input had.
		cmp.Compare(a.action.Key.Namespace, b.action.Key.Namespace),
		cmp.Compare(a.action.Key.Group, b.action.Key.Group),
		cmp.Compare(a.action.Key.Kind, b.action.Key.Kind),
	)
}

// mirrorPrunes lets objects go in the reverse order of their creation: the
// lowest and the highest wave among the prunes change places, and so on.
func mirrorPrunes(tasks []task) {
	var numbers []int
	for i := range tasks {
		if tasks[i].prune() {
			numbers = append(numbers, tasks[i].wave)
		}
	}
	slices.Sort(numbers)
	numbers = slices.Compact(numbers)
	for i := range tasks {
		if tasks[i].prune() {
			at, _ := slices.BinarySearch(numbers, tasks[i].wave)
			tasks[i].wave = numbers[len(numbers)-1-at]
		}
	}
}

// delayPrunes puts prunes with PruneLast behind the last wave of the Sync phase.
func delayPrunes(tasks []task, all bool) {
	last := 0
	for i := range tasks {
		if tasks[i].phase == gitops.Sync {
			last = max(last, tasks[i].wave)
		}
	}
	for i := range tasks {
		if tasks[i].prune() && (all || tasks[i].action.Options.PruneLast) {
			tasks[i].wave = last + 1
		}
	}
}

// waves cuts the ordered tasks where phase or wave change, and numbers the
// steps inside: prunes first, then a step for each kind.
func waves(tasks []task) []gitops.Wave {
	var out []gitops.Wave
	for start := 0; start < len(tasks); {
		end := start + 1
		for end < len(tasks) && tasks[end].phase == tasks[start].phase && tasks[end].wave == tasks[start].wave {
			end++
		}
		out = append(out, wave(tasks[start:end]))
		start = end
	}
	return out
}

func wave(tasks []task) gitops.Wave {
	w := gitops.Wave{Phase: tasks[0].phase, Number: tasks[0].wave}
	for i := range tasks {
		if tasks[i].prune() {
			w.Actions = append(w.Actions, tasks[i].action)
		}
	}
	step, last := 0, -1
	for i := range tasks {
		if tasks[i].prune() {
			continue
		}
		if r := rank(tasks[i].action.Key.Kind); r != last {
			step, last = step+1, r
		}
		tasks[i].action.Step = step
		w.Actions = append(w.Actions, tasks[i].action)
	}
	return w
}
