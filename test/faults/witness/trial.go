package witness

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/causeway-gitops/causeway/test/faults/scene"
)

// Played is a scene that is over.
type Played struct {
	Scene *scene.Scene
	// Commits are the times at which each commit was written; Deleted is when
	// the applications were deleted by hand.
	Commits []time.Time
	Deleted time.Time
	// Operations are the runs of syncs that each Application has shown.
	Operations map[string]map[string]bool
	// Lives are the ids that each object had up to then: a run of a hook is an
	// object of its own.
	Lives map[scene.Key]map[string]bool
	// Unseen is how often the API server forgot what had happened: an
	// operation may have come and gone each time without having been seen.
	Unseen int
}

// See takes down the runs of syncs that the Applications have shown.
func (p *Played) See(events []Event) {
	p.Operations = map[string]map[string]bool{}
	for _, e := range events {
		if e.Operation == "" {
			continue
		}
		if p.Operations[e.Key.Name] == nil {
			p.Operations[e.Key.Name] = map[string]bool{}
		}
		p.Operations[e.Key.Name][e.Operation] = true
	}
}

// Meet takes down which objects there have been.
func (p *Played) Meet(events []Event) { p.Lives = livesOf(events) }

// Try holds the engine's own writes against what it was allowed to do in a
// scene: delete only what Git no longer held, run each hook once an operation
// at the most, begin no wave before the last one was there, and take objects
// away in the reverse order.
func (p *Played) Try(writes []Request) []error {
	return slices.Concat(p.deletions(writes), p.hooks(writes), p.order(writes), p.prunes(writes))
}

var kinds = map[string]string{"configmaps": "ConfigMap", "deployments": "Deployment", "jobs": "Job", "applications": "Application", "gadgets": "Gadget"}

// deletions tells of objects that were deleted although Git held them.
func (p *Played) deletions(writes []Request) []error {
	var errs []error
	for _, w := range writes {
		key := scene.Key{Kind: kinds[w.Resource], Name: w.Name}
		if w.Verb == "deletecollection" {
			errs = append(errs, fmt.Errorf("a whole collection of %s was deleted", w.Resource))
		}
		if w.Verb != "delete" || key.Kind == "" || w.Received.After(p.Deleted) || p.hook(key) != nil {
			continue
		}
		if !p.absent(key, w.Received) {
			errs = append(errs, fmt.Errorf("%s was deleted at %s, and Git held it", key, w.Received.Format(time.StampMilli)))
		}
	}
	return errs
}

// absent reports whether a commit up to a time did without an object.
func (p *Played) absent(key scene.Key, at time.Time) bool {
	for i, written := range p.Commits {
		if !written.After(at) && !holds(p.Scene.Commits[i], key) {
			return true
		}
	}
	return false
}

func holds(commit []scene.Object, key scene.Key) bool {
	for _, o := range commit {
		if o.Key == key {
			return true
		}
	}
	return false
}

// hook returns the hook that an object is a run of.
func (p *Played) hook(key scene.Key) *scene.Object {
	for _, commit := range p.Scene.Commits {
		for i := range commit {
			o := &commit[i]
			if o.Hook != "" && o.Kind == key.Kind && (o.Name == key.Name || o.Generated && strings.HasPrefix(key.Name, o.Name)) {
				return o
			}
		}
	}
	return nil
}

// hooks tells of hooks that ran more often than there were syncs to run them.
func (p *Played) hooks(writes []Request) []error {
	made := map[scene.Key]int{}
	for _, w := range writes {
		if w.Created() && !w.Received.After(p.Deleted) {
			made[scene.Key{Kind: kinds[w.Resource], Name: w.Name}]++
		}
	}
	// A control plane that is killed may not have logged what it did last.
	for key, lives := range p.Lives {
		made[key] = max(made[key], len(lives))
	}
	var errs []error
	for key, times := range made {
		hook := p.hook(key)
		if hook == nil {
			continue
		}
		allowed := len(p.Operations[p.Scene.AppName(hook.App)]) + p.Unseen
		if hook.Generated {
			allowed = 1 // its name belongs to one operation
		}
		if times > allowed {
			errs = append(errs, fmt.Errorf("hook %s (delete policy %q) ran %d times in %d operations", key, hook.Policy, times, allowed))
		}
	}
	return errs
}

// order tells of objects of the first commit that were made before those of a
// lower wave had been. What healthy means beyond that is for Waves to judge, and
// what the log has lost.
func (p *Played) order(writes []Request) []error {
	first := map[scene.Key]Request{}
	for _, w := range writes {
		key := scene.Key{Kind: kinds[w.Resource], Name: w.Name}
		if _, ok := first[key]; !ok && w.Created() {
			first[key] = w
		}
	}
	var errs []error
	for _, o := range p.Scene.Commits[0] {
		made, ok := first[o.Key]
		if !ok || o.Hook != "" || len(p.Commits) > 1 && made.Received.After(p.Commits[1]) {
			continue
		}
		for _, x := range p.Scene.Commits[0] {
			if x.App != o.App || x.Hook != "" || x.Wave >= o.Wave || kindless(x) {
				continue
			}
			if p.late(x.Key, first, made) {
				errs = append(errs, fmt.Errorf("%s of wave %d was made before %s of wave %d", o.Key, o.Wave, x.Key, x.Wave))
			}
		}
	}
	return errs
}

// late reports whether an object was not there yet when another one was made.
func (p *Played) late(below scene.Key, first map[scene.Key]Request, made Request) bool {
	r, logged := first[below]
	if !logged {
		return len(p.Lives[below]) == 0
	}
	return r.Answered.After(made.Received)
}

// kindless are definitions, which the log shows under no namespace.
func kindless(o scene.Object) bool { return o.Kind == "CustomResourceDefinition" }

// ByScene sorts requests by the scene that they belong to.
func ByScene(writes []Request) map[string][]Request {
	out := map[string][]Request{}
	for _, w := range writes {
		name := w.Namespace
		if w.Resource == "applications" {
			name = SceneOf(w.Name)
		}
		out[name] = append(out[name], w)
	}
	return out
}
