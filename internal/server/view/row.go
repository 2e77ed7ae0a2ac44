package view

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Row is an Application as a list shows it. Rows are not changed once they are
// in an Index.
type Row struct {
	Namespace string `json:"namespace" doc:"Namespace of the Application."`
	Name      string `json:"name"`
	UID       string `json:"uid" doc:"Changes when the Application is made again under the same name."`
	Project   string `json:"project"`
	// Cluster is the destination's name in the fleet; its server where no name is known.
	Cluster     string            `json:"cluster" doc:"Name of the destination cluster, or its address where it has no name."`
	Destination string            `json:"destination,omitempty" doc:"Namespace of the objects."`
	Set         string            `json:"applicationSet,omitempty" doc:"ApplicationSet that made it."`
	Sync        string            `json:"sync" enum:"Synced,OutOfSync,Unknown"`
	Health      string            `json:"health" enum:"Healthy,Progressing,Suspended,Degraded,Missing,Unknown"`
	Message     string            `json:"message,omitempty" doc:"Why it is not healthy, or the first error."`
	Operation   string            `json:"operation,omitempty" enum:"Running,Terminating,Succeeded,Failed,Error" doc:"Phase of the last operation."`
	Automated   bool              `json:"automated" doc:"Whether it syncs without being asked."`
	Sources     []Source          `json:"sources"`
	Labels      map[string]string `json:"labels,omitempty"`
	Images      []string          `json:"images,omitempty"`
	Errors      int               `json:"errors,omitempty" doc:"Conditions that are errors."`
	Warnings    int               `json:"warnings,omitempty"`
	Created     time.Time         `json:"created,omitzero"`
	Synced      time.Time         `json:"synced,omitzero" doc:"End of the last successful sync."`
	Changed     time.Time         `json:"changed,omitzero" doc:"When its status changed last."`
	// Nowhere tells that its project does not permit the destination, or that there
	// is none. Then Cluster is what the Application says, and may be the name of a
	// cluster of which nothing is to be told beside it: see On.
	Nowhere bool `json:"-"`
	// Barred tells that its project does not permit what it reads, or where it is
	// itself. Then its sources are what somebody wrote, and nothing that is known of
	// their repositories is to be told beside them.
	Barred bool `json:"-"`
	// Version is the index's own, and grows with each change.
	Version uint64 `json:"-"`
	// Deployed are the revisions of the last successful sync, one a source; By
	// is who asked for it, and empty when it began by itself. RowOf does not
	// know more of that than anybody may have written.
	Deployed []string `json:"-"`
	By       string   `json:"-"`
	// Seat is the index's own, too: rows of one seat and turn have the same
	// names and project, by which rights are told.
	Seat Seat `json:"-"`

	text string // lower case, for searches
	// objects are those that its status names.
	objects objects
	// cluster is its name in lower case.
	cluster string
	// values are those of the facets, by their numbers in the index.
	values [facetCount]int
	// weight is what it takes in memory, in bytes.
	weight int64
}

// Seat is a row's number. A number that is free is given again, in another
// turn: numbers stay below the most rows that there ever were at a time.
type Seat struct{ Number, Turn uint32 }

// Source is one source of an Application, as it is now.
type Source struct {
	RepoURL  string `json:"repoURL"`
	Path     string `json:"path,omitempty"`
	Chart    string `json:"chart,omitempty"`
	Target   string `json:"target,omitempty" doc:"Revision that the Application asks for."`
	Revision string `json:"revision,omitempty" doc:"Revision that it was compared with."`
}

// Key identifies a row.
type Key struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
}

// Granted is an Application as somebody was found to have a right to it: by its
// project. Who writes it does so in that project alone, as it may be moved to
// another one meanwhile.
type Granted struct {
	Key     Key
	Project string
}

// Granted is the row's Application in its present project.
func (r *Row) Granted() Granted { return Granted{r.Key(), r.Project} }

// Weight is about what the row takes in memory, in bytes.
func (r *Row) Weight() int64 { return r.weight }

// Key of the row.
func (r *Row) Key() Key { return Key{r.Namespace, r.Name} }

// On is the name of the cluster that it is deployed to; empty where it is deployed
// to none.
func (r *Row) On() string {
	if r.Nowhere {
		return ""
	}
	return r.Cluster
}

// Weight is about what the key takes in memory, in bytes.
func (k Key) Weight() int64 { return int64(len(k.Namespace)+len(k.Name)) + perKey }

// perKey is what a key takes without its texts: two headers of texts.
const perKey = 32

func (k Key) compare(other Key) int {
	return cmp.Or(strings.Compare(k.Name, other.Name), strings.Compare(k.Namespace, other.Namespace))
}

// RowOf is an Application as a row. Cluster names its destination.
func RowOf(app *v1alpha1.Application, cluster string) *Row {
	s := &app.Status
	r := &Row{
		Namespace: app.Namespace, Name: app.Name, UID: string(app.UID), Project: app.Spec.GetProject(),
		Cluster: cluster, Destination: app.Spec.Destination.Namespace, Set: setOf(app),
		Sync: cmp.Or(string(s.Sync.Status), string(v1alpha1.SyncStatusCodeUnknown)), Health: cmp.Or(string(s.Health.Status), string(v1alpha1.HealthStatusUnknown)),
		Message: s.Health.Message, Automated: app.Spec.SyncPolicy.IsAutomated(),
		Sources: sourcesOf(app), Labels: app.Labels, Images: s.Summary.Images, Created: gitops.Moment(app.CreationTimestamp.Time),
	}
	r.conditions(s.Conditions)
	if s.OperationState != nil {
		r.Operation = string(s.OperationState.Phase)
	}
	if n := len(s.History); n > 0 {
		r.deployed(&s.History[n-1])
	}
	if s.ReconciledAt != nil {
		r.Changed = gitops.Moment(s.ReconciledAt.Time)
	}
	r.text, r.objects, r.cluster = r.searched(), objectsOf(s.Resources), strings.ToLower(r.Cluster)
	return r
}

func (r *Row) deployed(last *v1alpha1.RevisionHistory) {
	r.Synced, r.By, r.Deployed = gitops.Moment(last.DeployedAt.Time), gitops.Unverified(last.InitiatedBy.Username), last.Revisions
	if len(last.Revisions) == 0 && last.Revision != "" {
		r.Deployed = []string{last.Revision}
	}
}

func (r *Row) conditions(all []v1alpha1.ApplicationCondition) {
	for i := range all {
		if !strings.HasSuffix(all[i].Type, "Error") {
			r.Warnings++
			continue
		}
		r.Errors++
		if r.Message == "" {
			r.Message = all[i].Message
		}
	}
}

func setOf(app *v1alpha1.Application) string {
	for i := range app.OwnerReferences {
		if o := &app.OwnerReferences[i]; o.Kind == v1alpha1.ApplicationSetKind {
			return o.Name
		}
	}
	return ""
}

func sourcesOf(app *v1alpha1.Application) []Source {
	specs, sync := app.Spec.GetSources(), &app.Status.Sync
	out := make([]Source, 0, len(specs))
	for i := range specs {
		s := Source{RepoURL: specs[i].RepoURL, Path: specs[i].Path, Chart: specs[i].Chart, Target: specs[i].TargetRevision}
		switch {
		case i < len(sync.Revisions):
			s.Revision = sync.Revisions[i]
		case i == 0:
			s.Revision = sync.Revision
		}
		out = append(out, s)
	}
	return out
}

func (r *Row) searched() string {
	words := []string{r.Name, r.Namespace, r.Project, r.Cluster, r.Destination, r.Set}
	for _, s := range r.Sources {
		words = append(words, s.RepoURL, s.Path, s.Chart, s.Target, s.Revision)
	}
	words = append(words, r.Images...)
	for _, k := range sortedKeys(r.Labels) {
		words = append(words, k+"="+r.Labels[k])
	}
	return strings.ToLower(strings.Join(words, "\n"))
}

func sortedKeys(m map[string]string) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
