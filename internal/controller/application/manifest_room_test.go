package application

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/controller/application/appcache"
	"github.com/causeway-gitops/causeway/internal/controller/application/opstate"
	"github.com/causeway-gitops/causeway/internal/controller/application/state"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/history"
	"github.com/causeway-gitops/causeway/internal/report"
	"github.com/causeway-gitops/causeway/internal/room"
)

// oneApp is a hub with one Application, which nobody can write to.
type oneApp struct {
	client.Client

	app *v1alpha1.Application
}

func (o oneApp) Get(_ context.Context, _ client.ObjectKey, into client.Object, _ ...client.GetOption) error {
	app, ok := into.(*v1alpha1.Application)
	if !ok {
		return errors.ErrUnsupported
	}
	o.app.DeepCopyInto(app)
	return nil
}

// breaking is a history whose manifests are large, and end whoever reads them.
type breaking struct {
	written

	room *room.Room
	used *int64
}

func (b breaking) Kept(ctx context.Context, _ string) (*history.Kept, error) {
	if err := room.Take(ctx, 400); err != nil {
		return nil, err
	}
	*b.used, _ = b.room.Used()
	panic("it cannot be read")
}

// TestRoomIsGivenBack by a look that breaks off. One that finds no room has written, told
// and counted nothing by its end, and whatever was asked for.
func TestRoomIsGivenBack(t *testing.T) {
	memory, used, metrics := room.New(1000), int64(0), prometheus.NewRegistry()
	app := &v1alpha1.Application{Spec: v1alpha1.ApplicationSpec{Source: &v1alpha1.ApplicationSource{RepoURL: oursURL, Path: "."}}}
	app.Namespace, app.Name, app.Spec.Project, app.Spec.Destination.Namespace = "argocd", "web", "web", "web"
	app.Annotations = map[string]string{v1alpha1.AnnotationRefresh: string(v1alpha1.RefreshTypeHard)}
	app.Operation = &v1alpha1.Operation{Sync: &v1alpha1.SyncOperation{}, Info: []v1alpha1.Info{{Name: gitops.InfoRollback, Value: "then"}}}
	project := permitting("*")
	project.Spec.Destinations = []v1alpha1.ApplicationDestination{{Server: "*", Name: "*", Namespace: "*"}}
	apps := appcache.New(oneApp{app: app})
	r := New(Options{
		Namespace: "argocd", Apps: apps, Projects: oneProject{project}, Fleet: oneCluster{}, Room: memory, Past: breaking{room: memory, used: &used},
		// What is written, or told of, ends the test.
		Report: report.New("Application", nil, nil, report.Applications{}, report.NewMetrics(metrics), slog.New(slog.DiscardHandler)),
		Log:    slog.New(slog.DiscardHandler), Now: func() time.Time { return at },
	})
	request := reconcile.Request{NamespacedName: client.ObjectKeyFromObject(app)}

	busy, other := memory.Enter(t.Context(), "web", "other")
	if err := room.Take(busy, 300); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		res, err := r.Reconcile(t.Context(), request)
		if err != nil || res.RequeueAfter < roomPause || res.RequeueAfter >= 2*roomPause {
			t.Fatalf("without room it comes again in %v: %v", res, err)
		}
	}
	if counted, err := metrics.Gather(); err != nil || len(counted) > 0 {
		t.Errorf("it is counted: %v, %v", counted, err)
	}
	if now, refused := memory.Used(); now != 300 || refused != 1 {
		t.Errorf("%d bytes are in use, and %d wait", now, refused)
	}
	other.End()

	func() {
		defer func() { _ = recover() }()
		_, _ = r.Reconcile(t.Context(), request)
		t.Error("the look does not break off")
	}()
	if used != 400 {
		t.Errorf("it had %d bytes in use", used)
	}
	if now, refused := memory.Used(); now != 0 || refused != 0 {
		t.Errorf("%d bytes are left, and %d wait", now, refused)
	}
}

// TestRollbackWithoutRoom goes neither by its sources nor on as if its manifests were
// gone, whether it has begun or not.
func TestRollbackWithoutRoom(t *testing.T) {
	for name, source := range map[string]*v1alpha1.ApplicationSource{"sources": {RepoURL: oursURL, Path: "."}, "none": nil} {
		for _, begun := range []bool{true, false} {
			t.Run(fmt.Sprint(name, begun), func(t *testing.T) {
				app := &v1alpha1.Application{}
				op := v1alpha1.Operation{
					Info: []v1alpha1.Info{{Name: gitops.InfoRollback, Value: "then"}, {Name: gitops.InfoKept, Value: "then"}}, Sync: &v1alpha1.SyncOperation{Source: source},
				}
				if app.Operation = &op; begun {
					app.Operation = nil
					app.Status.OperationState = opstate.Begin(op, opstate.Wanted{}, at)
				}
				r := &Reconciler{Options: Options{Log: slog.New(slog.DiscardHandler), Past: away{err: fmt.Errorf("then: %w", room.ErrNoRoom)}}, seen: newSeen()}
				tg := &state.Target{Subject: state.Subject{App: app, Project: permitting("*")}}
				if err := r.returning(t.Context(), tg); !noRoom(err) || tg.Brought != nil || tg.Unfit != nil {
					t.Errorf("it goes on: %v, %+v", err, tg)
				}
				if opstate.Info(opstate.Requested(app).Info, gitops.InfoKept) == "" {
					t.Error("it is forgotten that it began with kept manifests")
				}
			})
		}
	}
}

// TestBroughtManifestsHaveRoom before they are parsed.
func TestBroughtManifestsHaveRoom(t *testing.T) {
	memory := room.New(40 << 10)
	busy, other := memory.Enter(t.Context(), "web", "other")
	if err := room.Take(busy, 15<<10); err != nil {
		t.Fatal(err)
	}
	app := &v1alpha1.Application{Operation: &v1alpha1.Operation{Sync: &v1alpha1.SyncOperation{Manifests: []string{localYAM, localYAM}}}}
	r := &Reconciler{}
	look := func() (*state.Target, *room.Guest, error) {
		ctx, g := memory.Enter(t.Context(), "web", "web")
		tg := &state.Target{Subject: state.Subject{App: app}}
		return tg, g, r.returning(ctx, tg)
	}
	tg, g, err := look()
	if g.End(); !noRoom(err) || tg.Brought != nil || tg.Unfit != nil {
		t.Errorf("there is room: %v, %+v", err, tg)
	}
	other.End()
	if tg, g, err = look(); err != nil || len(tg.Brought.Rendering.Manifests) != 2 {
		t.Errorf("when it comes again: %v, %+v", err, tg)
	}
	used, _ := memory.Used()
	if weight := gitops.Weight(tg.Brought.Rendering.Manifests); used < weight {
		t.Errorf("%d bytes count as %d", weight, used)
	}
	g.End()
	bomb := "a: &a [" + strings.Repeat("1,", 1000) + "]\nb: &b [" + strings.Repeat("*a,", 100) + "]"
	app.Operation.Sync.Manifests = []string{bomb, bomb, bomb, bomb, bomb}
	if tg, g, err = look(); err != nil || tg.Unfit == nil || !strings.Contains(tg.Unfit.Error(), "all texts together") {
		t.Errorf("what several texts repeat is not counted together: %v, %v", err, tg.Unfit)
	}
	g.End()
	if used, refused := memory.Used(); used != 0 || refused != 0 {
		t.Errorf("%d bytes are left, and %d wait", used, refused)
	}
}

// TestLookWithoutRoom ends nothing, and leaves a status that is held back where it is.
func TestLookWithoutRoom(t *testing.T) {
	memory := room.New(1000)
	r := &Reconciler{Options: Options{Room: memory, Log: slog.New(slog.DiscardHandler)}, pending: state.NewPendingStatuses()}
	kept := &v1alpha1.Application{}
	kept.Name, kept.Spec.Project, kept.Status.OperationState = "web", "web", opstate.Begin(v1alpha1.Operation{}, opstate.Wanted{}, at)
	r.pending.PutBack(kept, &state.PendingStatus{UID: kept.UID, Project: kept.Spec.GetProject(), Status: *kept.Status.DeepCopy()})
	for range 2 {
		app := &v1alpha1.Application{}
		app.Name, app.Spec.Project = "web", "web"
		found := state.AsRead{Pending: r.pending.Resume(app)}
		if app.Status.OperationState == nil || r.pending.Resume(kept) != nil {
			t.Fatal("what was held back does not come back")
		}
		app.Status.OperationState.Message = "changed"
		_, g := r.enter(t.Context(), app)
		why := fmt.Errorf("cannot render: %w", room.ErrNoRoom)
		if err := r.lastLook(nil, app, why); !errors.Is(err, why) || !app.Status.OperationState.Runs() {
			t.Errorf("a deletion ends the operation: %v", err)
		}
		if res := r.comeAgain(t.Context(), app, g, found); res.RequeueAfter < roomPause || res.RequeueAfter >= 2*roomPause {
			t.Errorf("it comes again in %v", res)
		}
		back := &v1alpha1.Application{}
		back.Name, back.Spec.Project = "web", "web"
		held := r.pending.Resume(back)
		if held == nil || held.Status.OperationState == nil || held.Status.OperationState.Message != "" {
			t.Fatalf("held back is %+v", held)
		}
		r.pending.PutBack(back, held)
		g.End()
	}
}
