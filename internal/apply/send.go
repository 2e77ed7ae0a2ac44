package apply

import (
	"context"
	"net/http"

	"k8s.io/apimachinery/pkg/types"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// mode tells a dry run from the real thing, as the API does.
type mode string

const (
	forReal mode = ""
	dryRun  mode = "All"
)

// apply is one server-side apply: one request, unless the object needs a
// treatment that is not known yet. Conflicts are won: Git says what is right.
func (a *Applier) apply(ctx context.Context, c Cluster, p paths, action *gitops.Action, m mode) (answer, error) {
	known := a.lane(c.Server()).treatments
	t := known.get(action.Digest)
	for try := 1; ; try++ {
		body, err := t.of(action.Desired.Object)
		if err != nil {
			return answer{}, err
		}
		got, err := a.applyTreated(ctx, c, p, t, params(action, m), body)
		if err == nil || !isTyped(err) || try == maxTreatments {
			got.note = t.note()
			return got, err
		}
		next, ok := t.after(err)
		if !ok {
			return answer{}, err
		}
		t = next
		known.put(action.Digest, t)
	}
}

func (a *Applier) applyTreated(ctx context.Context, c Cluster, p paths, t treatment, query map[string]string, body []byte) (answer, error) {
	if !t.merge {
		query["force"] = "true"
		return a.send(ctx, c, call{path: p.object, patch: types.ApplyPatchType, query: query, body: body})
	}
	got, err := a.send(ctx, c, call{path: p.object, patch: types.MergePatchType, query: query, body: body})
	if isGone(err) && missingNamespace(err) == "" {
		return a.send(ctx, c, call{verb: http.MethodPost, path: p.collection, query: query, body: body})
	}
	return got, err
}

func params(action *gitops.Action, m mode) map[string]string {
	query := map[string]string{"fieldManager": gitops.FieldManager}
	if !action.Options.Validate {
		query["fieldValidation"] = "Ignore"
	}
	if m != forReal {
		query["dryRun"] = string(m)
	}
	return query
}
