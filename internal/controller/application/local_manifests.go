package application

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/bounded"
	"github.com/causeway-gitops/causeway/internal/controller/application/opstate"
	"github.com/causeway-gitops/causeway/internal/controller/application/state"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/history"
	"github.com/causeway-gitops/causeway/internal/policy"
	"github.com/causeway-gitops/causeway/internal/render/document"
	"github.com/causeway-gitops/causeway/internal/room"
)

const (
	// maxManifests bounds what an operation may bring, in bytes: it is kept in the
	// Application while it runs, beside everything else that its status tells.
	maxManifests = 640 << 10
	// mostPerValue is what one takes in memory at most of the values that are counted
	// in a text, of which a third may be counted alone.
	mostPerValue = 3 * 370
)

// local lets an operation that brings manifests of its own work with them
// instead of those of the sources, which need not answer. It reports whether it does.
// The error is room.ErrNoRoom.
func (r *Reconciler) local(ctx context.Context, t *state.Target) (bool, error) {
	op := opstate.Requested(t.App)
	if op == nil || op.Sync == nil || len(op.Sync.Manifests) == 0 {
		return false, nil
	}
	rendering, err := readManifests(ctx, op.Sync.Manifests)
	if noRoom(err) {
		return false, err
	}
	if err != nil {
		t.Unfit = err
		return false, nil //nolint:nilerr // the operation's own fault
	}
	rendering.Revisions, rendering.Types = make([]string, len(t.Sources)), make([]gitops.SourceType, len(t.Sources))
	t.Brought = &state.Brought{Rendering: rendering, Sources: t.Sources, Origin: &history.Origin{Brought: true}}
	t.Options = op.Sync.SyncOptions
	if opstate.Info(op.Info, gitops.InfoManifests) == "" {
		op.Info = append(op.Info, v1alpha1.Info{Name: gitops.InfoManifests, Value: fmt.Sprintf("%d objects", len(rendering.Manifests))})
	}
	return true, nil
}

// measure is what the texts that an operation brings take in memory as objects, at most.
func measure(texts []string) (bytes int64, err error) {
	size, left := 0, bounded.NewBudget(bounded.MostValues)
	for _, text := range texts {
		size += len(text)
	}
	if size > maxManifests {
		return 0, gitops.Problemf(gitops.Invalid, "the manifests of the operation have %d KiB; at most %d KiB are taken", size>>10, maxManifests>>10).
			Do("sync part of them, or commit them")
	}
	for i, text := range texts {
		values, err := bounded.Check([]byte(text))
		if err == nil {
			err = left.Take(values)
		}
		if err != nil {
			return 0, gitops.Problemf(gitops.Invalid, "cannot read manifest %d of the operation: %w", i+1, err)
		}
		bytes += int64(values)*mostPerValue + int64(len(text))
	}
	return bytes, nil
}

// readManifests reads what an operation brings, each text one or more objects, once there
// is room for them.
func readManifests(ctx context.Context, texts []string) (*gitops.Rendering, error) {
	bytes, err := measure(texts)
	if err != nil {
		return nil, err
	}
	if err := room.Take(ctx, bytes); err != nil {
		return nil, err
	}
	out := &gitops.Rendering{}
	for i, text := range texts {
		docs, err := document.Read([]byte(text))
		if err != nil {
			return nil, gitops.Problemf(gitops.Invalid, "cannot read manifest %d of the operation: %w", i+1, err)
		}
		for _, d := range docs {
			objects, err := document.Open(d.Object)
			if err != nil {
				return nil, gitops.Problemf(gitops.Invalid, "cannot read manifest %d of the operation: %w", i+1, err)
			}
			for _, o := range objects {
				if o.GetKind() == "" || o.GetAPIVersion() == "" || o.GetName() == "" && o.GetGenerateName() == "" {
					return nil, gitops.Problemf(gitops.Invalid, "cannot read manifest %d of the operation: it needs apiVersion, kind and a name", i+1)
				}
				out.Manifests = append(out.Manifests, gitops.Manifest{Object: o})
			}
		}
	}
	return out, digest(out)
}

// localDigest begins the digests of manifests that an operation brought, and no
// others.
const localDigest = "local-"

// digest names the content of manifests.
func digest(r *gitops.Rendering) error {
	h := sha256.New()
	for _, m := range r.Manifests {
		text, err := json.Marshal(m.Object.Object)
		if err != nil {
			return gitops.Problemf(gitops.Invalid, "cannot read a manifest of the operation: %w", err)
		}
		h.Write(text)
		h.Write([]byte{'\n'})
	}
	r.Digest = localDigest + hex.EncodeToString(h.Sum(nil)[:16])
	return nil
}

// refuseBrought is why the manifests that an operation brings are not applied.
// The rules of its own ones are Argo CD's: an automated sync would undo them at once, and
// nobody has signed them. A rollback to such ones goes by the same rules.
func refuseBrought(t *state.Target) error {
	if t.Unfit != nil {
		return t.Unfit
	}
	if !t.IsLocal() {
		return nil
	}
	op := opstate.SyncOf(t.App.Status.OperationState)
	if t.App.Spec.SyncPolicy.IsAutomated() && !op.DryRun {
		return gitops.Problemf(gitops.Forbidden, "cannot sync manifests that are in no source while automated sync is on: it would undo them").
			Do("try them with a dry run, or turn spec.syncPolicy.automated off")
	}
	if err := policy.Manifests(t.Project); err != nil {
		return err
	}
	for i := range t.Sources {
		rule, err := policy.Signatures(t.Project, &t.Sources[i])
		if err != nil {
			return err
		}
		if rule != nil {
			return gitops.Problemf(gitops.Forbidden, "cannot sync manifests that are in no source: project %s wants signed commits", t.Project.Name).Do("commit and sign them")
		}
	}
	return nil
}
