package scenario

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const (
	annotationRefresh = "argocd.argoproj.io/refresh"
	driver            = client.FieldOwner("driver")
	// look is how often a story's state is looked at.
	look = 200 * time.Millisecond
)

// player plays one story.
type player struct {
	*bed
	*story

	commits map[string]string // by folder: step1
}

// play goes through a story and returns the first difference, or none.
func (b *bed) play(ctx context.Context, s *story) (difference string, err error) {
	p := &player{bed: b, story: s, commits: map[string]string{}}
	if err := p.begin(ctx); err != nil {
		return "", err
	}
	for i := range s.Steps {
		from := time.Now()
		if err := p.step(ctx, &s.Steps[i]); err != nil {
			return "", fmt.Errorf("step %d: %w", i+1, err)
		}
		difference, err := p.outcome(ctx, i, from)
		if err != nil || difference != "" {
			return fmt.Sprintf("step %d: %s", i+1, difference), err
		}
	}
	return "", nil
}

// outcome waits until the story is at rest, and compares. On a busy machine a pause is no rest: what is not as it was
// recorded has as long again to get there, unless it is known to come out otherwise.
func (p *player) outcome(ctx context.Context, index int, from time.Time) (difference string, err error) {
	wait := p.Steps[index].Wait
	unrest := p.settled(ctx, wait)
	if slices.Contains(p.expected.Varies, fmt.Sprintf("steps[%d]", index)) {
		return "", nil
	}
	for end := time.Now().Add(wait.timeout()); ; pause(ctx, look) {
		difference, err = p.compare(ctx, index, from)
		if err == nil && difference == "" && unrest != "" {
			difference = "not at rest at the end of the wait: " + unrest
		}
		if err != nil || difference == "" || p.differs || ctx.Err() != nil || time.Now().After(end) {
			return difference, err
		}
	}
}

// begin makes the namespaces and what is there before.
func (p *player) begin(ctx context.Context) error {
	made := slices.Clone(p.Absent)
	for _, o := range p.Before {
		if o["kind"] == "Namespace" {
			made = append(made, (&unstructured.Unstructured{Object: o}).GetName())
		}
	}
	for _, name := range p.Namespaces {
		if slices.Contains(made, name) {
			continue
		}
		if err := p.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}); err != nil {
			return err
		}
	}
	for _, o := range p.Before {
		if err := p.create(ctx, o); err != nil {
			return err
		}
	}
	return nil
}

func (p *player) create(ctx context.Context, o object) error {
	return p.Create(ctx, &unstructured.Unstructured{Object: p.fill(o)}, driver)
}

// fill puts the hashes of commits where a story names them.
func (p *player) fill(o object) object {
	out := object{}
	if err := json.Unmarshal([]byte(p.names().Replace(string(encode(o)))), &out); err != nil {
		panic(err) // it was JSON before
	}
	return out
}

func (p *player) step(ctx context.Context, s *step) error {
	if s.Commit != "" {
		hash, err := p.git.commit(p.Name, filepath.Join(p.dir, s.Commit))
		if err != nil {
			return err
		}
		p.commits[filepath.Base(s.Commit)] = hash
	}
	if err := p.announce(ctx, s); err != nil {
		return err
	}
	for i := range s.Actions {
		if err := p.act(ctx, &s.Actions[i]); err != nil {
			return fmt.Errorf("action %d: %w", i+1, err)
		}
	}
	return nil
}

// announce makes the Applications, or tells them of the commit.
func (p *player) announce(ctx context.Context, s *step) error {
	if s.Number > 1 {
		if s.Commit == "" || s.Refresh != nil && !*s.Refresh {
			return nil
		}
		return p.refresh(ctx, "normal")
	}
	for _, app := range append([]object{p.App}, p.More...) {
		if err := p.create(ctx, app); err != nil {
			return err
		}
	}
	return nil
}

func (p *player) refresh(ctx context.Context, kind string) error {
	return p.patch(ctx, p.app(p.Name), object{"metadata": object{"annotations": object{annotationRefresh: kind}}})
}

func (p *player) patch(ctx context.Context, o client.Object, merge object) error {
	return p.Patch(ctx, o, client.RawPatch(types.MergePatchType, encode(p.fill(merge))), driver)
}

func (p *player) app(name string) *unstructured.Unstructured {
	return subject("Application", control, name)
}

// subject is an object of a kind by its name.
func subject(kind, namespace, name string) *unstructured.Unstructured {
	o := &unstructured.Unstructured{}
	gvr := watched[kind]
	o.SetGroupVersionKind(schema.GroupVersionKind{Group: gvr.Group, Version: gvr.Version, Kind: kind})
	o.SetNamespace(namespace)
	o.SetName(name)
	return o
}

func (p *player) act(ctx context.Context, a *action) error {
	switch {
	case a.Refresh != "":
		return p.refresh(ctx, a.Refresh)
	case a.Operation != nil:
		return p.patch(ctx, p.app(p.Name), object{"operation": a.Operation})
	case a.Terminate:
		return p.patch(ctx, p.app(p.Name), object{"status": object{"operationState": object{"phase": "Terminating"}}})
	case a.Create != nil:
		return p.create(ctx, a.Create)
	case a.Delete != nil:
		return p.Delete(ctx, subject(a.Delete.Kind, a.Delete.Namespace, a.Delete.Name), client.PropagationPolicy(metav1.DeletePropagationBackground))
	case a.Patch != nil:
		o := subject(a.Patch.Kind, a.Patch.Namespace, a.Patch.Name)
		if a.Patch.Subresource != "" {
			return p.SubResource(a.Patch.Subresource).Patch(ctx, o, client.RawPatch(types.MergePatchType, encode(p.fill(a.Patch.Merge))), driver)
		}
		return p.patch(ctx, o, a.Patch.Merge)
	}
	pause(ctx, time.Duration(a.Sleep*float64(time.Second)))
	return nil
}

// settled waits until nothing of the story changes any more, and tells what
// it would have to wait for longer.
func (p *player) settled(ctx context.Context, wait patience) (unrest string) {
	started := time.Now()
	for time.Since(started) < wait.timeout() && ctx.Err() == nil {
		pause(ctx, look)
		last := p.mirror.last(p.story)
		quiet, settle := time.Since(latest(started, last)), wait.settle()
		if quiet < settle {
			unrest = fmt.Sprintf("something changed %s ago", quiet.Round(time.Millisecond))
			continue
		}
		if unrest = p.unrest(ctx, wait, quiet >= 3*settle); unrest == "" {
			return ""
		}
	}
	return unrest
}

// unrest tells who is about to do something. An operation that is expected to
// go on may end all the same, and in a story that is known to come out
// otherwise the other way round: then a long quiet is enough.
func (p *player) unrest(ctx context.Context, wait patience, long bool) string {
	app := p.app(p.Name)
	if err := p.Get(ctx, client.ObjectKeyFromObject(app), app); err != nil {
		if gone(err) {
			return ""
		}
		return err.Error()
	}
	if wait.NoStatus {
		return ""
	}
	phase, _, _ := unstructured.NestedString(app.Object, "status", "operationState", "phase")
	switch {
	case app.GetAnnotations()[annotationRefresh] != "":
		return "a refresh is asked for"
	case app.Object["status"] == nil:
		return "there is no status"
	case wait.Running && phase != "Running" && !long:
		return "the phase is " + phase
	case wait.Running:
		return ""
	case app.GetDeletionTimestamp() != nil && !wait.Deleting:
		return "the application is being deleted"
	case long && p.differs: // it may be that here it goes on, and there it did not
		return ""
	case phase == "Running", phase == "Terminating", app.Object["operation"] != nil:
		return "an operation is under way"
	}
	return ""
}

func latest(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// encode leaves < and > as they are: the names of commits have them.
func encode(o object) []byte {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(o); err != nil {
		panic(err) // it came from YAML or is written here
	}
	return out.Bytes()
}
