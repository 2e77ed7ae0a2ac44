package breakout

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
)

// attempt is one way to break out.
type attempt struct {
	// reason says what would be lost.
	reason string
	// files are in the folder of the attempt in red's repository; $RED and $BLUE are the teams' servers, $PORT is that of blue's, $TRAP is a
	// program that nobody may run.
	files map[string]string
	// app changes what is else an Application of that folder.
	app func(*stage, *v1alpha1.Application)
	// play is what else is done; when nil, the Application is created.
	play func(*stage)
	// says are words by which the engine refuses it. Without any it is done, within red's own rights.
	says []string
	// anonymous attempts may ask blue's server, as everybody may who asks without a credential.
	anonymous bool
	// looks are requests that the engine needs in order to refuse it.
	looks []string
}

// stage is where an attempt is played.
type stage struct {
	*bed

	t    *testing.T
	name string
	// among is the namespace of the Application; empty: red's of Applications.
	among string
	attempt
}

// slug is a name as Kubernetes takes it.
func slug(name string) string {
	var out strings.Builder
	for i, c := range name {
		if i > 0 && c >= 'A' && c <= 'Z' {
			out.WriteByte('-')
		}
		out.WriteRune(c)
	}
	return strings.ToLower(out.String())
}

// played plays attempts one after the other, so that what is asked meanwhile is theirs.
func (b *bed) played(t *testing.T, attempts map[string]attempt) {
	for _, name := range slices.Sorted(maps.Keys(attempts)) {
		t.Run(name, func(t *testing.T) {
			s := &stage{bed: b, t: t, name: slug(name), attempt: attempts[name]}
			b.requests(t)
			b.blue.take()
			had := b.has(t)
			s.do()
			for _, touch := range b.judge(t, had, s.looks, s.counts) {
				t.Errorf("lost: %s: %s", s.reason, touch)
			}
			b.syncs(t)
		})
	}
}

// do plays the attempt, and takes the Application away with all that is its: a deletion is a way to reach things, too.
func (s *stage) do() {
	s.t.Helper()
	if s.play == nil {
		s.create()
		s.answered()
		s.remove()
		return
	}
	s.play(s)
}

// answered waits until the engine has refused it, or done it.
func (s *stage) answered() {
	s.t.Helper()
	if len(s.says) == 0 {
		s.untilDone()
		return
	}
	s.untilSays(s.says...)
}

func (s *stage) key() client.ObjectKey {
	return client.ObjectKey{Namespace: cmp.Or(s.among, redApps), Name: s.name}
}

// application is red's, of the folder of the attempt.
func (s *stage) application() *v1alpha1.Application {
	yes := true
	a := &v1alpha1.Application{
		ObjectMeta: metav1.ObjectMeta{Name: s.name, Namespace: redApps, Finalizers: []string{v1alpha1.FinalizerResources}},
		Spec: v1alpha1.ApplicationSpec{
			Project:     "red",
			Source:      &v1alpha1.ApplicationSource{RepoURL: s.red.repo(), Path: s.name, TargetRevision: "main"},
			Destination: v1alpha1.ApplicationDestination{Server: inCluster, Namespace: redNS},
			SyncPolicy:  &v1alpha1.SyncPolicy{Automated: &v1alpha1.SyncPolicyAutomated{Prune: &yes, SelfHeal: &yes, AllowEmpty: &yes}, Retry: &v1alpha1.RetryStrategy{Limit: 0}},
		},
	}
	if s.app != nil {
		s.app(s, a)
	}
	return a
}

func (s *stage) create() {
	s.t.Helper()
	if err := s.Create(s.t.Context(), s.application()); err != nil {
		s.t.Fatal(err)
	}
}

// change edits the Application: all of it is its writer's, the status too.
func (s *stage) change(change func(*v1alpha1.Application)) {
	s.t.Helper()
	a := &v1alpha1.Application{}
	err := s.Get(s.t.Context(), s.key(), a)
	before := a.DeepCopy()
	change(a)
	if err == nil {
		err = s.Patch(s.t.Context(), a, client.MergeFrom(before))
	}
	if err != nil {
		s.t.Fatal(err)
	}
}

// untilDone waits until the Application has synced.
func (s *stage) untilDone() *v1alpha1.Application {
	s.t.Helper()
	return s.until(s.t, s.key(), "synced", func(a *v1alpha1.Application) bool {
		return a.Operation == nil && a.Status.Sync.Status == v1alpha1.SyncStatusCodeSynced && a.Status.OperationState != nil && a.Status.OperationState.Phase == v1alpha1.OperationSucceeded
	})
}

// untilSays waits until the Application says words, and nothing is left that was asked of it.
func (s *stage) untilSays(words ...string) *v1alpha1.Application {
	s.t.Helper()
	return s.until(s.t, s.key(), fmt.Sprintf("telling %q", words), func(a *v1alpha1.Application) bool {
		text := said(a)
		return a.Operation == nil && !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(text, s.fill(w)) })
	})
}

// remove deletes the Application and waits until it has gone. Where the engine refuses to delete for it, the operator
// takes the Application alone.
func (s *stage) remove() {
	s.t.Helper()
	a := &v1alpha1.Application{}
	err := s.Get(s.t.Context(), s.key(), a)
	if err == nil {
		err = s.Delete(s.t.Context(), a)
	}
	if client.IgnoreNotFound(err) != nil {
		s.t.Fatal(err)
	}
	embeddedtest.Eventually(s.t, func(ctx context.Context) error {
		*a = v1alpha1.Application{}
		if err := s.Get(ctx, s.key(), a); err != nil {
			return client.IgnoreNotFound(err)
		}
		if slices.ContainsFunc(a.Status.Conditions, func(c v1alpha1.ApplicationCondition) bool {
			return c.Type == v1alpha1.ApplicationConditionDeletionError
		}) {
			a.Finalizers = nil
			if err := s.Update(ctx, a); err != nil {
				return client.IgnoreNotFound(err) // it may go by itself meanwhile
			}
		}
		return fmt.Errorf("application %s is still there: %s", s.name, said(a))
	})
}

// counts reports whether what was asked of blue's server is against blue. What everybody may ask is asked again later.
func (s *stage) counts(asked string) bool {
	if s.anonymous && !strings.Contains(asked, signedIn) {
		s.open[asked] = true
	}
	return !s.open[asked]
}

// deletes creates the Application, waits until it has synced, and deletes it; once that is refused, the operator lets
// the deletion go on without hooks.
func deletes(s *stage) {
	s.t.Helper()
	s.create()
	s.untilDone()
	a := &v1alpha1.Application{ObjectMeta: metav1.ObjectMeta{Name: s.name, Namespace: redApps}}
	if err := s.Delete(s.t.Context(), a); err != nil {
		s.t.Fatal(err)
	}
	s.answered()
	s.change(func(a *v1alpha1.Application) {
		a.Finalizers = slices.DeleteFunc(a.Finalizers, func(f string) bool { return f != v1alpha1.FinalizerResources })
	})
	s.remove()
}

// finds reports what a key of a ConfigMap has after a sync.
func finds(name, key, want string) func(*stage) {
	return func(s *stage) {
		s.t.Helper()
		s.create()
		s.untilDone()
		found := &corev1.ConfigMap{}
		if err := s.Get(s.t.Context(), client.ObjectKey{Namespace: redNS, Name: name}, found); err != nil {
			s.t.Fatal(err)
		}
		if got := found.Data[key]; got != want {
			s.t.Errorf("lost: %s: it found %q", s.reason, got)
		}
		s.remove()
	}
}

// guesses looks at what the Application tells of objects that its project does not permit.
func guesses(s *stage) {
	s.t.Helper()
	s.create()
	a := s.untilSays(s.says...)
	for _, r := range a.Status.Resources {
		if r.Status != v1alpha1.SyncStatusCodeUnknown || r.Health != nil && r.Health.Status != v1alpha1.HealthStatusMissing {
			s.t.Errorf("lost: %s: %s/%s is %s and %v", s.reason, r.Namespace, r.Name, r.Status, r.Health)
		}
	}
	s.remove()
}
