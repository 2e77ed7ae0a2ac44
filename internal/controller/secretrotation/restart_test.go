package secretrotation_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// lines are a log that a test reads while others write.
type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

// said are the lines that have all of these words.
func (l *lines) said(words ...string) (n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
next:
	for line := range strings.Lines(l.text.String()) {
		for _, word := range words {
			if !strings.Contains(line, word) {
				continue next
			}
		}
		n++
	}
	return n
}

const (
	mark   = "secrets.causeway.io/restarted-for"
	policy = "secrets.causeway.io/restart"
)

// place is a namespace of a test.
type place struct {
	testing.TB

	namespace string
}

func newPlace(t *testing.T) place {
	t.Helper()
	return place{t, embeddedtest.Namespace(t, config)}
}

func (p place) create(objects ...client.Object) {
	p.Helper()
	for _, object := range objects {
		object.SetNamespace(p.namespace)
		if err := kube.Create(p.Context(), object); err != nil {
			p.Fatal(err)
		}
	}
}

func (p place) patch(object client.Object, text string) {
	p.Helper()
	object.SetNamespace(p.namespace)
	if err := kube.Patch(p.Context(), object, client.RawPatch(types.MergePatchType, []byte(text))); err != nil {
		p.Fatal(err)
	}
}

func named(name string, annotations ...string) metav1.ObjectMeta {
	meta := metav1.ObjectMeta{Name: name, Annotations: map[string]string{}}
	for i := 0; i < len(annotations); i += 2 {
		meta.Annotations[annotations[i]] = annotations[i+1]
	}
	return meta
}

func data(value string) string { return fmt.Sprintf(`{"data":[{"key":"k","value":%q}]}`, value) }

// values is a store that has a value.
func values(annotations ...string) *esv1.SecretStore {
	return &esv1.SecretStore{ObjectMeta: named("values", annotations...), Spec: esv1.SecretStoreSpec{Provider: map[string]apiextensionsv1.JSON{"fake": {Raw: []byte(data("hunter-first"))}}}}
}

// rotates gives the store another value.
func (p place) rotates(value string) {
	p.Helper()
	p.patch(&esv1.SecretStore{ObjectMeta: named("values")}, `{"spec":{"provider":{"fake":`+data(value)+`}}}`)
}

func wanting(name string, annotations ...string) *esv1.ExternalSecret {
	return &esv1.ExternalSecret{ObjectMeta: named(name, annotations...), Spec: esv1.ExternalSecretSpec{
		SecretStoreRef: esv1.SecretStoreRef{Name: "values"}, RefreshInterval: &metav1.Duration{Duration: time.Second},
		Data: []esv1.ExternalSecretData{{SecretKey: "k", RemoteRef: esv1.RemoteRef{Key: "k"}}},
	}}
}

// secret waits until a Secret has a value.
func (p place) secret(name, value string) {
	p.Helper()
	embeddedtest.Eventually(p, func(ctx context.Context) error {
		var secret corev1.Secret
		if err := kube.Get(ctx, p.key(name), &secret); err != nil {
			return err
		}
		if got := string(secret.Data["k"]); got != value {
			return fmt.Errorf("%s has %q", name, got)
		}
		return nil
	})
}

func (p place) key(name string) client.ObjectKey {
	return client.ObjectKey{Namespace: p.namespace, Name: name}
}

// using is the template of pods that have an environment of a Secret, with what the simulated kubelet is told.
func using(name, secret string, told ...string) corev1.PodTemplateSpec {
	template := corev1.PodTemplateSpec{ObjectMeta: named("", told...), Spec: corev1.PodSpec{Containers: []corev1.Container{{
		Name: "c", Image: "registry.example.com/i", EnvFrom: []corev1.EnvFromSource{{SecretRef: &corev1.SecretEnvSource{LocalObjectReference: corev1.LocalObjectReference{Name: secret}}}},
	}}}}
	template.Labels = map[string]string{"app": name}
	return template
}

func selecting(name string) *metav1.LabelSelector {
	return &metav1.LabelSelector{MatchLabels: map[string]string{"app": name}}
}

func deployment(name, secret string, annotations ...string) *appsv1.Deployment {
	return &appsv1.Deployment{ObjectMeta: named(name, annotations...), Spec: appsv1.DeploymentSpec{Selector: selecting(name), Template: using(name, secret)}}
}

// runs waits until the newest pods of Deployments are available.
func (p place) runs(names ...string) {
	p.Helper()
	for _, name := range names {
		embeddedtest.Eventually(p, func(ctx context.Context) error {
			var d appsv1.Deployment
			if err := kube.Get(ctx, p.key(name), &d); err != nil {
				return err
			}
			if d.Status.ObservedGeneration < d.Generation || d.Status.Replicas != 1 || d.Status.UpdatedReplicas != 1 || d.Status.AvailableReplicas != 1 {
				return fmt.Errorf("the status of %s is %+v", name, d.Status)
			}
			return nil
		})
	}
}

// restarted waits until a Deployment was restarted for the latest change of a Secret.
func (p place) restarted(name, secret string) {
	p.Helper()
	embeddedtest.Eventually(p, func(ctx context.Context) error { return p.isRestarted(ctx, name, secret) })
}

func (p place) isRestarted(ctx context.Context, name, secret string) error {
	var of corev1.Secret
	var d appsv1.Deployment
	if err := errors.Join(kube.Get(ctx, p.key(secret), &of), kube.Get(ctx, p.key(name), &d)); err != nil {
		return err
	}
	if got, want := d.Spec.Template.Annotations[mark], of.Annotations["secrets.causeway.io/changed"]; got != want || want == "" {
		return fmt.Errorf("%s was restarted for %q; the Secret changed at %q", name, got, want)
	}
	return nil
}

// generation of a Deployment, which grows with each change of its template.
func (p place) generation(name string) int64 {
	p.Helper()
	var d appsv1.Deployment
	if err := kube.Get(p.Context(), p.key(name), &d); err != nil {
		p.Fatal(err)
	}
	return d.Generation
}

// TestPolicies: the nearest word counts, and without any nothing is restarted.
func TestPolicies(t *testing.T) {
	p := newPlace(t)
	p.create(values(policy, "true"), wanting("all"), wanting("none", policy, "false"))
	p.secret("all", "hunter-first")
	p.secret("none", "hunter-first")
	quiet := map[string]*appsv1.Deployment{
		"by-secret": deployment("by-secret", "none"), "by-itself": deployment("by-itself", "all", policy, "false"), "other": deployment("other", "nobodys", policy, "true"),
		"paused": deployment("paused", "all"), "nothing": deployment("nothing", "all"),
	}
	quiet["nothing"].Spec.Replicas = new(int32)
	for _, one := range quiet {
		p.create(one)
	}
	p.create(deployment("by-store", "all"), deployment("asks", "none", policy, "true"))
	p.runs("by-store", "asks", "by-secret", "by-itself", "other", "paused")
	p.patch(&appsv1.Deployment{ObjectMeta: named("paused")}, `{"spec":{"paused":true}}`)
	was := map[string]int64{}
	for name := range quiet {
		was[name] = p.generation(name)
	}
	p.rotates("hunter-second")
	p.secret("all", "hunter-second")
	p.secret("none", "hunter-second")
	p.restarted("by-store", "all")
	p.restarted("asks", "none")
	for name, generation := range was {
		if now := p.generation(name); now != generation {
			t.Errorf("%s was restarted", name)
		}
	}
	p.runs("by-store")
	generation := p.generation("by-store")
	p.patch(&appsv1.Deployment{ObjectMeta: named("paused")}, `{"spec":{"paused":false}}`)
	p.restarted("paused", "all")
	if now := p.generation("by-store"); now != generation {
		t.Errorf("it was restarted %d times more", now-generation)
	}
}

// TestKindsOfWorkloads: StatefulSets and DaemonSets are restarted as well, for a Secret by which images are pulled, too, where
// the template names it. One of the service account restarts nothing.
func TestKindsOfWorkloads(t *testing.T) {
	p := newPlace(t)
	p.create(values(), wanting("made", policy, "true"))
	p.secret("made", "hunter-first")
	account := &corev1.ServiceAccount{ObjectMeta: named("puller"), ImagePullSecrets: []corev1.LocalObjectReference{{Name: "made"}}}
	pulling := func(name string) corev1.PodTemplateSpec {
		template := using(name, "nobodys")
		template.Spec.Containers[0].EnvFrom = nil
		return template
	}
	template := pulling("daemon")
	template.Spec.ImagePullSecrets = account.ImagePullSecrets
	signs := &appsv1.Deployment{ObjectMeta: named("signs"), Spec: appsv1.DeploymentSpec{Selector: selecting("signs"), Template: pulling("signs")}}
	signs.Spec.Template.Spec.ServiceAccountName = account.Name
	set := &appsv1.StatefulSet{ObjectMeta: named("set"), Spec: appsv1.StatefulSetSpec{Selector: selecting("set"), Template: using("set", "made"), ServiceName: "set"}}
	daemon := &appsv1.DaemonSet{ObjectMeta: named("daemon"), Spec: appsv1.DaemonSetSpec{Selector: selecting("daemon"), Template: template}}
	p.create(account, set, daemon, signs)
	p.runs("signs")
	generation := p.generation("signs")
	embeddedtest.Eventually(t, func(ctx context.Context) error {
		if err := errors.Join(kube.Get(ctx, p.key("set"), set), kube.Get(ctx, p.key("daemon"), daemon)); err != nil {
			return err
		}
		if set.Status.ReadyReplicas != 1 || daemon.Status.NumberAvailable < 1 {
			return fmt.Errorf("%+v, %+v", set.Status, daemon.Status)
		}
		return nil
	})
	p.rotates("hunter-second")
	p.secret("made", "hunter-second")
	embeddedtest.Eventually(t, func(ctx context.Context) error {
		if err := errors.Join(kube.Get(ctx, p.key("set"), set), kube.Get(ctx, p.key("daemon"), daemon)); err != nil {
			return err
		}
		if set.Spec.Template.Annotations[mark] == "" || daemon.Spec.Template.Annotations[mark] == "" || set.Status.ReadyReplicas != 1 {
			return fmt.Errorf("%v, %v", set.Spec.Template.Annotations, daemon.Spec.Template.Annotations)
		}
		return nil
	})
	if now := p.generation("signs"); now != generation {
		t.Error("a Secret of the service account restarted what runs as it")
	}
}

// TestWaves: of one application, a wave is restarted when the one before it is healthy again, and not before.
func TestWaves(t *testing.T) {
	p := newPlace(t)
	p.create(values(), wanting("made", policy, "true"))
	p.secret("made", "hunter-first")
	of := func(d *appsv1.Deployment, app string) *appsv1.Deployment {
		d.Labels = map[string]string{gitops.LabelInstance: app}
		return d
	}
	first := of(deployment("first", "made"), "shop")
	p.create(first, of(deployment("second", "made", gitops.AnnotationWave, "1"), "shop"), of(deployment("other", "made", gitops.AnnotationWave, "5"), "blog"))
	p.runs("first", "second", "other")
	// From now on its pods do not get ready. The rollout is the user's, and of a wave that is not healthy.
	p.patch(first, `{"spec":{"template":{"metadata":{"annotations":{"kube.causeway.io/never-ready":"true"}}},"progressDeadlineSeconds":2}}`)
	p.rotates("hunter-second")
	p.secret("made", "hunter-second")
	p.restarted("first", "made")
	p.restarted("other", "made")
	embeddedtest.Eventually(t, func(context.Context) error {
		if logged.said(p.namespace, "an earlier wave is not healthy", "second", "waits_for=\"Deployment first\"", "Degraded") != 1 {
			return errors.New("nobody is told")
		}
		return nil
	})
	if err := p.isRestarted(t.Context(), "second", "made"); err == nil {
		t.Error("the second wave did not wait for the first")
	}
	p.patch(first, `{"spec":{"template":{"metadata":{"annotations":{"kube.causeway.io/never-ready":null}}}}}`)
	p.restarted("second", "made")
	p.runs("first", "second")
	if logged.said("hunter") > 0 {
		t.Error("the log has a value")
	}
}

// TestMarksThatAreLost: what started later than a change is not restarted for it, whoever replaced its template.
func TestMarksThatAreLost(t *testing.T) {
	p := newPlace(t)
	p.create(values(), wanting("made", policy, "true"))
	p.secret("made", "hunter-first")
	p.create(deployment("later", "made"))
	p.runs("later")
	p.rotates("hunter-second")
	p.restarted("later", "made")
	p.runs("later")
	generation := p.generation("later")
	p.patch(&appsv1.Deployment{ObjectMeta: named("later")}, `{"spec":{"template":{"metadata":{"annotations":{"`+mark+`":null}}}}}`)
	p.runs("later")
	p.rotates("hunter-third")
	p.restarted("later", "made")
	if now := p.generation("later"); now != generation+2 {
		t.Errorf("the generation is %d, and was %d: a template that lost its mark was restarted for what it had", now, generation)
	}
}

// TestTemplatesOfOperators: who takes the mark away while old pods run has a workload restarted once for a change.
func TestTemplatesOfOperators(t *testing.T) {
	p := newPlace(t)
	p.create(values(), wanting("made", policy, "true"))
	p.secret("made", "hunter-first")
	one := deployment("theirs", "made")
	p.create(one)
	p.runs("theirs")
	// Its rollout fails soon: while it goes on, it would be waited for.
	p.patch(one, `{"spec":{"template":{"metadata":{"annotations":{"kube.causeway.io/never-ready":"true"}}},"progressDeadlineSeconds":1}}`)
	p.rotates("hunter-second")
	p.secret("made", "hunter-second")
	p.restarted("theirs", "made")
	generation := p.generation("theirs")
	p.patch(one, `{"spec":{"template":{"metadata":{"annotations":{"`+mark+`":null}}}}}`)
	embeddedtest.Eventually(t, func(context.Context) error {
		if logged.said(p.namespace, "took the restart back", "name=theirs") == 0 {
			return errors.New("nobody is told")
		}
		return nil
	})
	if now := p.generation("theirs"); now != generation+1 {
		t.Errorf("the generation is %d, and was %d: it is restarted again and again", now, generation)
	}
}
