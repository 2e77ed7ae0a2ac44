package plan

import (
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

func annotations(pairs ...string) map[string]string {
	out := map[string]string{}
	for i := 0; i < len(pairs); i += 2 {
		out[pairs[i]] = pairs[i+1]
	}
	return out
}

func TestHooksOfADeletion(t *testing.T) {
	cases := map[string]struct {
		reason      string
		annotations map[string]string
		phase       gitops.Phase
		want        bool
	}{
		"Before":   {"in Argo CD's words", annotations(gitops.AnnotationHook, "PreDelete"), gitops.PreDelete, true},
		"After":    {"each for its phase", annotations(gitops.AnnotationHook, "PreDelete"), gitops.PostDelete, false},
		"Both":     {"or for both", annotations(gitops.AnnotationHook, "PreDelete, PostDelete"), gitops.PostDelete, true},
		"AlsoSync": {"it may be one of a sync, too", annotations(gitops.AnnotationHook, "PostSync,PostDelete"), gitops.PostDelete, true},
		"Helm":     {"in Helm's words", annotations(helmHook, "pre-install,post-delete"), gitops.PostDelete, true},
		"HelmPre":  {"of either phase", annotations(helmHook, "pre-delete"), gitops.PreDelete, true},
		"Words":    {"but not in those of the other", annotations(gitops.AnnotationHook, "post-delete", helmHook, "PostDelete"), gitops.PostDelete, false},
		"Beside":   {"Helm's count beside Argo CD's", annotations(gitops.AnnotationHook, "Sync", helmHook, "post-delete"), gitops.PostDelete, true},
		"Sync":     {"a hook of a sync is none", annotations(gitops.AnnotationHook, "PreSync"), gitops.PreDelete, false},
		"None":     {"nor is an ordinary object", nil, gitops.PreDelete, false},
		"Long":     {"nor one whose words are too many to be read", annotations(gitops.AnnotationHook, "PreDelete,"+strings.Repeat("x", gitops.MaxSteering)), gitops.PreDelete, false},
	}
	for name, tc := range cases {
		if got := DeletionHook(tc.annotations, tc.phase); got != tc.want {
			t.Errorf("%s: %s: %v", name, tc.reason, got)
		}
	}
}

// The hooks of a deletion are planned as a sync of one phase, and leave the set as it is.
func TestSetOfDeletionHooks(t *testing.T) {
	object := func(name string, a map[string]string) Object {
		o := &unstructured.Unstructured{Object: map[string]any{"metadata": map[string]any{"name": name}}}
		o.SetAnnotations(a)
		return Object{Manifest: gitops.Manifest{Object: o}, Key: gitops.Key{Name: name}, Hook: ParseHook(a)}
	}
	set := &Set{
		Objects: []Object{
			object("web", nil), object("backup", annotations(gitops.AnnotationHook, "PreDelete,PostSync", gitops.AnnotationHookDelete, "HookSucceeded")), object("farewell", annotations(helmHook, "post-delete")),
		},
		Namespace: &Object{}, Warnings: []gitops.Warning{{Reason: "X"}},
	}
	got := set.DeletionHooks(gitops.PreDelete)
	if got == nil || len(got.Objects) != 1 || got.Objects[0].Key.Name != "backup" || got.Namespace != nil || got.Warnings != nil {
		t.Fatalf("the hooks before a deletion are %+v", got)
	}
	h := got.Objects[0].Hook
	if !h.Is || !slices.Equal(h.Phases, []gitops.Phase{gitops.PreDelete}) || !slices.Equal(h.Policies, []DeletePolicy{HookSucceeded}) {
		t.Errorf("it is a hook of the deletion alone, which goes as it says: %+v", h)
	}
	if was := set.Objects[1].Hook; !slices.Contains(was.Phases, gitops.PostSync) || len(set.Objects) != 3 || set.Namespace == nil {
		t.Errorf("the set was changed: %+v", set)
	}
	if got := (&Set{Objects: set.Objects[:1]}).DeletionHooks(gitops.PreDelete); got != nil {
		t.Errorf("without hooks there is %+v", got)
	}
	if !DeletesAfterSuccess(annotations(helmHookDelete, "hook-succeeded")) || DeletesAfterSuccess(nil) || DeletesAfterSuccess(annotations(gitops.AnnotationHookDelete, "HookFailed")) {
		t.Error("a hook goes after its success where it says so")
	}
}

// What goes with its application, and what asks before.
func TestWhatSurvivesADeletion(t *testing.T) {
	options := func(list ...string) v1alpha1.SyncOptions { return list }
	long := annotations(gitops.AnnotationSync, strings.Repeat("x", gitops.MaxSteering+1))
	cases := map[string]struct {
		reason          string
		key             gitops.Key
		annotations     map[string]string
		app             v1alpha1.SyncOptions
		survives, asked bool
	}{
		"Ordinary":   {"it goes", gitops.Key{}, nil, nil, false, false},
		"Kept":       {"it says that it stays", gitops.Key{}, annotations(gitops.AnnotationSync, "Prune=true,Delete=false"), nil, true, false},
		"KeptByHelm": {"in Helm's words", gitops.Key{}, annotations(helmResourcePolicy, "keep"), nil, true, false},
		"HelmOther":  {"another word of Helm's says nothing", gitops.Key{}, annotations(helmResourcePolicy, "delete"), nil, false, false},
		"AppKeeps":   {"its application says so", gitops.Key{}, nil, options("Delete=false"), true, false},
		"Over":       {"what it says itself is over that", gitops.Key{}, annotations(gitops.AnnotationSync, "Delete=true"), options("Delete=false"), false, false},
		"Definition": {"a definition would take all objects of its kind", gitops.Key{Group: "apiextensions.k8s.io", Kind: "CustomResourceDefinition"}, annotations(gitops.AnnotationSync, "Delete=true"), nil, true, false},
		"Namesake":   {"another kind of its name does not", gitops.Key{Group: "example.com", Kind: "CustomResourceDefinition"}, nil, nil, false, false},
		"NotPruned":  {"what is not pruned goes with its application", gitops.Key{}, annotations(gitops.AnnotationSync, "Prune=false"), nil, false, false},
		"Asks":       {"it asks", gitops.Key{}, annotations(gitops.AnnotationSync, "Delete=confirm"), nil, false, true},
		"AppAsks":    {"its application does", gitops.Key{}, nil, options("Delete=confirm"), false, true},
		"PruneAsks":  {"what asks before it is pruned asks here, too", gitops.Key{}, annotations(gitops.AnnotationSync, "Prune=confirm"), nil, false, true},
		"Unread":     {"what cannot be read may say that it stays", gitops.Key{}, long, nil, true, false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			l := &gitops.Live{Key: tc.key, Annotations: tc.annotations}
			if survives, asked := Survives(l, tc.app), AsksBeforeDeletion(l, tc.app); survives != tc.survives || asked != tc.asked {
				t.Errorf("%s: it survives: %v, it asks: %v", tc.reason, survives, asked)
			}
		})
	}
}

func TestWhoMadeALiveObject(t *testing.T) {
	k := gitops.Key{Kind: "ConfigMap", Namespace: "shop", Name: "a"}
	for name, tc := range map[string]struct {
		reason, tracking string
		owners           []types.UID
		want             bool
	}{
		"Own":    {"it has the application's mark", gitops.TrackingID("web", k), nil, true},
		"Other":  {"it has another one's", gitops.TrackingID("blue", k), nil, false},
		"Copied": {"it was copied from another object", gitops.TrackingID("web", gitops.Key{Kind: "ConfigMap", Namespace: "shop", Name: "b"}), nil, false},
		"Owned":  {"another object made it", gitops.TrackingID("web", k), []types.UID{"1"}, false},
		"None":   {"it has none", "", nil, false},
	} {
		l := &gitops.Live{Key: k, Tracking: tc.tracking, Owners: tc.owners}
		if got := Owned(l, "web"); got != tc.want {
			t.Errorf("%s: %s: %v", name, tc.reason, got)
		}
	}
}

// A word for an earlier deletion is none for this one.
func TestConfirmed(t *testing.T) {
	since := time.Date(2026, 1, 1, 10, 0, 0, 0, time.UTC)
	for value, want := range map[string]bool{
		"2026-01-01T10:00:00Z": true, "2026-01-01T10:00:01Z": true, "2026-01-01T12:00:00+02:00": true, "2026-01-01T09:59:59Z": false, "2026-01-01T10:00:00+02:00": false,
		"true": false, "": false, "2026-01-02": false,
	} {
		if got := Confirmed(annotations(v1alpha1.AnnotationDeletionApproved, value), since); got != want {
			t.Errorf("%q confirms: %v", value, got)
		}
	}
}

// Pruning alone is left where nothing that is desired differs.
func TestPrunesOnly(t *testing.T) {
	wanted := &gitops.Manifest{}
	pruned, differs, synced := gitops.Action{Verb: gitops.Prune, Sync: gitops.OutOfSync}, gitops.Action{Desired: wanted, Sync: gitops.OutOfSync}, gitops.Action{Desired: wanted, Sync: gitops.Synced}
	hook := differs
	hook.Hook = true
	for name, tc := range map[string]struct {
		reason  string
		actions []gitops.Action
		want    bool
	}{
		"Nothing": {"nothing is left", nil, true},
		"Prunes":  {"some go, the others are as desired", []gitops.Action{synced, pruned}, true},
		"Differs": {"one differs", []gitops.Action{pruned, differs}, false},
		"Hook":    {"a hook is no object that differs", []gitops.Action{pruned, hook}, true},
	} {
		if got := PrunesOnly(&gitops.Plan{Waves: []gitops.Wave{{}, {Actions: tc.actions}}}); got != tc.want {
			t.Errorf("%s: %s: %v", name, tc.reason, got)
		}
	}
}

// What is desired differently has another digest, and what is only written otherwise has not.
func TestDigestOfRules(t *testing.T) {
	of := func(object map[string]any, i gitops.Ignore, d gitops.Drift) string {
		got, err := digest(object, i, d)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	object := map[string]any{"a": []any{int64(1), "1", true, nil, 1.5, map[string]any{"b": "c"}}}
	if of(object, gitops.Ignore{}, gitops.Drift{}) != of(map[string]any{"a": []any{1, "1", true, nil, 1.5, map[string]any{"b": "c"}}}, gitops.Ignore{}, gitops.Drift{}) {
		t.Error("a number of another type is another number")
	}
	seen := map[string]string{}
	for name, got := range map[string]string{
		"Object": of(object, gitops.Ignore{}, gitops.Drift{}), "Empty": of(nil, gitops.Ignore{}, gitops.Drift{}), "Text": of(map[string]any{"a": "null"}, gitops.Ignore{}, gitops.Drift{}), "Null": of(map[string]any{"a": nil}, gitops.Ignore{}, gitops.Drift{}),
		"Lists": of(map[string]any{"a": []any{[]any{"b"}, []any{}}}, gitops.Ignore{}, gitops.Drift{}), "OtherLists": of(map[string]any{"a": []any{[]any{}, []any{"b"}}}, gitops.Ignore{}, gitops.Drift{}),
		"Pointer": of(object, gitops.Ignore{JSONPointers: []string{"/a"}}, gitops.Drift{}), "JQ": of(object, gitops.Ignore{JQ: []string{"/a"}}, gitops.Drift{}), "Manager": of(object, gitops.Ignore{Managers: []string{"/a"}}, gitops.Drift{}),
		"Two": of(object, gitops.Ignore{JSONPointers: []string{"/a", "/b"}}, gitops.Drift{}), "Joined": of(object, gitops.Ignore{JSONPointers: []string{`/a","/b`}}, gitops.Drift{}),
		"Status": of(object, gitops.Ignore{CountStatus: true}, gitops.Drift{}), "Type": of(object, gitops.Ignore{Types: []gitops.TypedField{{Field: "a", Type: "b"}}}, gitops.Drift{}),
		"Policy": of(object, gitops.Ignore{}, gitops.Drift{Policy: gitops.DriftHeal}), "Field": of(object, gitops.Ignore{}, gitops.Drift{Fields: []gitops.FieldDrift{{Pointer: "/a", Policy: gitops.DriftHeal}}}),
	} {
		if other, known := seen[got]; known {
			t.Errorf("%s and %s have one digest", name, other)
		}
		seen[got] = name
	}
	if _, err := digest(map[string]any{"a": []any{func() {}}}, gitops.Ignore{}, gitops.Drift{}); err == nil || !strings.Contains(err.Error(), "cannot encode a func()") {
		t.Errorf("what has no form: %v", err)
	}
}
