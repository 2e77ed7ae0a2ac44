package chronicle

import (
	"cmp"
	"strings"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/history"
	"github.com/causeway-gitops/causeway/internal/store/audit"
)

// Note tells the audit of what happened by itself. No sync waits for it.
func (c *Chronicle) Note(entry *audit.Entry) {
	if c.Store == nil {
		c.unnoted(entry)
		return
	}
	entry.Who, entry.Outcome = audit.Who{Name: audit.Engine}, audit.Allowed
	c.Store.Note(entry)
}

// unnoted counts what an audit that could not be opened lacks. Who wants none
// misses nothing.
func (c *Chronicle) unnoted(entry *audit.Entry) {
	if c.o.Off {
		return
	}
	if c.unaudited.Add(1) == 1 {
		c.o.Log.Error("there is no audit, as no history is kept: what the engine deletes by itself is counted in causeway_audit_lost_total, and told nowhere",
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

// Deleted notes what was deleted of an Application besides pruning: an entry for each wave.
func (c *Chronicle) Deleted(app *v1alpha1.Application, cluster gitops.Cluster, objects []gitops.Key, why, sync string) {
	gone := make([]audit.Change, len(objects))
	for i, k := range objects {
		gone[i] = deletion(k)
	}
	c.Note(&audit.Entry{
		Verb: "prune", Resource: "applications", Project: app.Spec.GetProject(), Namespace: app.Namespace, Name: app.Name, Cluster: cmp.Or(cluster.Name, cluster.Server),
		Changes: gone, Message: "deleted " + gitops.Count(len(gone), "object") + ": " + why, Operation: sync,
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

// Held notes that a number of deletions is held, or none any more.
func (c *Chronicle) Held(kind, subject string, count int, approved string) {
	c.Note(holding(kind, subject, count, approved))
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
