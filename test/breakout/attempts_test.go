package breakout

import (
	"maps"
	"path"
	"slices"
	"strings"
	"testing"
)

// dozen, and one of each kind that has come since, are played before a change lands, a few of each attacker.
var dozen = []string{
	"NamespaceInManifest", "GuessedSecret", "NameWithDots", "HookElsewhere", "CopiedTrackingID", "ClusterRole",
	"ProjectOfBlue", "RepositoryOfBlue", "OperationSource", "ForgedResources",
	"ManyMarkedAsBlues", "KubeconfigOfTheHub",
	"FileNamesApplicationOfBlue",
}

// unaided are played again where the engine writes by its own rights, which are all: the project alone holds red back.
// The first one is played before a change lands.
var unaided = []string{
	"NamespaceInManifest",
	"UnmanagedInManifest", "DeleteOptions", "ListWithNamespace", "HelmNamespace", "KustomizeNamespace",
	"HookElsewhere", "HookPostSync", "HookPreDelete", "HookClusterScoped",
	"ClusterRole", "ClusterRoleInNamespace", "Namespace", "RightsInBlue", "KindAppearsAsClusterScoped", "KindThatChangesScope", "ApplicationInManifest", "SecretsOfTheEngine",
	"DestinationOfBlue", "DestinationOfTheHub", "CreateNamespaceElsewhere", "KustomizeToBlue",
	"OperationManifestsRoam", "OperationResources", "OperationOptions", "ForgedResources", "ForgedResult", "FileNamesNamespaceOfBlue",
}

// all are the attempts at the control plane.
func all() map[string]attempt {
	out := map[string]attempt{}
	for _, some := range []map[string]attempt{files(), applications(), sets(), objects(), secrets()} {
		maps.Copy(out, some)
	}
	return out
}

// TestAttempts plays them all against one victim.
func TestAttempts(t *testing.T) {
	first, others := named(t, dozen), all()
	maps.DeleteFunc(others, func(name string, _ attempt) bool { return slices.Contains(dozen, name) })
	b := newBed(t, repository(all()))
	t.Run("Caught", b.caught)
	t.Run("Dozen", func(t *testing.T) { b.played(t, first) })
	t.Run("Others", func(t *testing.T) { b.played(t, others) })
	b.actsForItself(t)
	t.Run("Unaided", func(t *testing.T) { b.played(t, named(t, unaided[:1])) })
	t.Run("OthersUnaided", func(t *testing.T) { b.played(t, named(t, unaided[1:])) })
	t.Run("Watches", b.watched)
}

// named are the attempts of these names.
func named(t *testing.T, names []string) map[string]attempt {
	t.Helper()
	out, there := map[string]attempt{}, all()
	for _, name := range names {
		a, is := there[name]
		if !is {
			t.Fatalf("there is no attempt %s", name)
		}
		out[name] = a
	}
	return out
}

const harmless = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: harmless}\ndata: {a: b}\n"

// repository is what red's has: the folders of all attempts. Those that bring no files deploy something harmless.
func repository(attempts map[string]attempt) map[string]string {
	out := map[string]string{"honest/a.yaml": harmless}
	for _, name := range slices.Sorted(maps.Keys(attempts)) {
		if len(attempts[name].files) == 0 {
			out[path.Join(slug(name), "a.yaml")] = harmless
		}
		for file, text := range attempts[name].files {
			out[path.Join(slug(name), file)] = text
		}
	}
	return out
}

// TestWhatIsSaidIsASentence holds attempts to words by which a refusal is known: one or two are in many a message, if only
// because it names what it is about.
func TestWhatIsSaidIsASentence(t *testing.T) {
	const least = 3
	for name, a := range all() {
		if len(a.says) > 0 && !slices.ContainsFunc(a.says, func(s string) bool { return len(strings.Fields(s)) >= least }) {
			t.Errorf("%s: write more of what the engine says than %q", name, a.says)
		}
	}
}
