package app

import (
	"cmp"
	"context"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/controller/application"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/history"
	"github.com/causeway-gitops/causeway/internal/store/audit"
)

// note tells the audit of what happened by itself. No sync waits for it.
func (e *Engine) note(entry *audit.Entry) {
	if e.history == nil {
		e.unnoted(entry)
		return
	}
	entry.Who, entry.Outcome = audit.Who{Name: audit.Engine}, audit.Allowed
	e.history.Note(entry)
}

// unnoted counts what an audit that could not be opened lacks. Who wants none
// misses nothing.
func (e *Engine) unnoted(entry *audit.Entry) {
	if e.cfg.History.Off {
		return
	}
	if e.unaudited.Add(1) == 1 {
		e.cfg.Log.Error("there is no audit, as no history is kept: what the engine deletes by itself is counted in causeway_audit_lost_total, and told nowhere",
			"verb", entry.Verb, "namespace", entry.Namespace, "name", entry.Name)
	}
}

// pruned is the entry of a sync that deleted objects; nil of one that did not.
func pruned(s *history.Sync) *audit.Entry {
	var gone []audit.Change
	for i := range s.Waves {
		for _, o := range s.Waves[i].Objects {
			if o.Pruned && !s.DryRun {
				gone = append(gone, deletion(o.Key()))
			}
		}
	}
	if len(gone)+s.Omitted.Pruned == 0 || s.DryRun {
		return nil
	}
	message := "deleted " + gitops.Count(len(gone)+s.Omitted.Pruned, "object") + " in a sync: " + string(s.Cause)
	if s.By != "" {
		message += " by " + s.By
	}
	return &audit.Entry{
		Verb: "prune", Resource: "applications", Project: s.Project, Namespace: s.App.Namespace, Name: s.App.Name, Cluster: cmp.Or(s.Cluster, s.Server),
		Changes: gone, Message: message, Operation: s.ID,
	}
}

// deletion is the change of an object that was deleted.
func deletion(k gitops.Key) audit.Change {
	return audit.Change{Path: strings.TrimPrefix(k.Group+"/"+k.Kind, "/") + " " + gitops.NameIn(k.Namespace, k.Name), Old: `"deleted"`}
}

// deleted notes what was deleted besides pruning: an entry for each wave.
func (e *Engine) deleted(d application.Deletion) {
	gone := make([]audit.Change, len(d.Objects))
	for i, k := range d.Objects {
		gone[i] = deletion(k)
	}
	e.note(&audit.Entry{
		Verb: "prune", Resource: "applications", Project: d.App.Spec.GetProject(), Namespace: d.App.Namespace, Name: d.App.Name, Cluster: cmp.Or(d.Cluster.Name, d.Cluster.Server),
		Changes: gone, Message: "deleted " + gitops.Count(len(gone), "object") + ": " + d.Why, Operation: d.Sync,
	})
}

// askedAtTheHub is the entry of a sync that somebody asked for past the API, as
// commands at the hub do; nil of any other one. What the API is asked for is in
// the audit before it begins, and the seal of the operation says so.
func askedAtTheHub(s *history.Sync) *audit.Entry {
	verbs := map[history.Cause]string{history.Requested: "sync", history.Rollback: "rollback"}
	if s.By != "" { // it says that it began by itself, and nobody vouches for that
		verbs[history.Automated], verbs[history.Heal] = "sync", "sync"
	}
	if verbs[s.Cause] == "" || gitops.Verified(s.By) {
		return nil
	}
	message := "asked for without the seal of the server, as at the hub, by " + cmp.Or(s.By, "somebody who is not named") + "; it ended as " + s.Phase
	if s.DryRun {
		message = "a dry run, " + message
	}
	return &audit.Entry{
		Verb: verbs[s.Cause], Resource: "applications", Project: s.Project, Namespace: s.App.Namespace, Name: s.App.Name, Cluster: cmp.Or(s.Cluster, s.Server),
		Message: message, Operation: s.ID,
	}
}

// watchHolds tells the audit when deletions are held, and when no longer.
func (e *Engine) watchHolds() {
	e.guard.ledger.Watch(func(kind, subject string, count int, approved string) {
		e.note(holding(kind, subject, count, approved))
	})
}

// holding is the entry of a number of deletions that are held, or none any more.
func holding(kind, subject string, count int, approved string) *audit.Entry {
	namespace, name, _ := strings.Cut(subject, "/")
	entry := &audit.Entry{Verb: "hold", Resource: resources[kind], Namespace: namespace, Name: name, Message: gitops.Count(count, "deletion") + " held until somebody approves"}
	if count > 0 {
		return entry
	}
	entry.Verb, entry.Message = "release", "no deletion is held any more: they were approved, or are no longer wanted"
	if approved != "" {
		entry.Message = "no deletion is held any more: they were approved" + approved
	}
	return entry
}

// resources of kinds, as policies name them.
var resources = map[string]string{v1alpha1.ApplicationKind: "applications", v1alpha1.ApplicationSetKind: "applicationsets", "Cluster": "clusters", "Secret": "secrets"}

// deleter is a client of a controller whose deletions are in the audit.
type deleter struct {
	client.Client

	engine *Engine
	by     string
}

// Delete implements client.Writer.
func (d deleter) Delete(ctx context.Context, o client.Object, opts ...client.DeleteOption) error {
	err := d.Client.Delete(ctx, o, opts...)
	if err != nil {
		return err
	}
	kind := reflect.TypeOf(o).Elem().Name()
	entry := &audit.Entry{Verb: "delete", Resource: cmp.Or(resources[kind], kind), Namespace: o.GetNamespace(), Name: o.GetName(), Message: "deleted by " + d.by}
	if owner := metav1.GetControllerOf(o); owner != nil {
		entry.Message = fmt.Sprintf("deleted by %s %s", owner.Kind, owner.Name)
	}
	if app, ok := o.(*v1alpha1.Application); ok {
		entry.Project, entry.Cluster = app.Spec.GetProject(), cmp.Or(app.Spec.Destination.Name, app.Spec.Destination.Server)
		entry.Changes = []audit.Change{{Path: "/metadata/finalizers", Old: strconv.Quote(strings.Join(app.Finalizers, ","))}}
	}
	d.engine.note(entry)
	return nil
}
