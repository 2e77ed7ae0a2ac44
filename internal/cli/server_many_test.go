package cli

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/cli/clitest"
	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/server/api"
	"github.com/causeway-gitops/causeway/internal/server/batch"
)

// many answers for several applications at a time: an operation goes on for as
// long as it is looked at twice. The one of dns cannot be asked for.
func (d *desk) many(mux *http.ServeMux) {
	now := &batch.Batch{ID: "op", State: batch.Running}
	begin := func(verb string, of *api.BulkSync, w http.ResponseWriter, r *http.Request) {
		names := []string{verb}
		if err := json.NewDecoder(r.Body).Decode(of); err != nil {
			d.t.Error(err)
		}
		now.Verb, now.Counts = verb, batch.Counts{Total: len(of.Applications), Left: len(of.Applications)}
		for _, k := range of.Applications {
			now.Results = append(now.Results, batch.Result{Key: k, Stage: batch.Waiting})
			names = append(names, k.Name)
		}
		d.asked = append(d.asked, strings.Join(names, " "))
		w.WriteHeader(http.StatusAccepted)
		d.say(w, now)
	}
	mux.HandleFunc("POST /api/v1/applications/sync", func(w http.ResponseWriter, r *http.Request) {
		want := &api.BulkSync{}
		begin("sync", want, w, r)
		if !want.Prune {
			d.t.Errorf("it is asked for %+v", want)
		}
	})
	mux.HandleFunc("POST /api/v1/applications/refresh", func(w http.ResponseWriter, r *http.Request) { begin("refresh", &api.BulkSync{}, w, r) })
	mux.HandleFunc("GET /api/v1/operations/op", func(w http.ResponseWriter, r *http.Request) {
		if now.Counts.Left--; now.Counts.Left == 0 {
			now.State = batch.Done
		}
		out := *now
		if out.Results = nil; r.URL.Query().Get("results") == "all" {
			for _, one := range now.Results {
				if one.Stage = batch.Asked; one.Name == "dns" {
					one.Stage, one.Error = batch.Failed, "ann may not "+now.Verb+" applications platform/dns"
				}
				out.Results = append(out.Results, one)
			}
		}
		d.say(w, &out)
	})
}

// Several are asked for at once; of one that could not be asked for is told,
// and the others are done.
func TestSeveralAreOneOperationOfTheServer(t *testing.T) {
	d, url := newDesk(t)
	dns := clitest.Shop()
	dns.Name = "dns"
	d.apps = append(d.apps, *dns)
	got := asks(t, "refresh", "shop", "dns", "shop", "--server", url)
	if got.code != command.ExitFailed || got.out != "shop: is looked at again\n" || !strings.Contains(got.errors, "dns: ann may not refresh applications platform/dns\n") {
		t.Errorf("%d\n%s%s", got.code, got.out, got.errors)
	}
	if !strings.Contains(got.errors, "1 of 2 applications to ask for\n") {
		t.Errorf("it does not tell how far it is: %s", got.errors)
	}
	d, url = newDesk(t)
	d.apps = append(d.apps, *dns)
	got = asks(t, "sync", "shop", "dns", "--prune", "--async", "--server", url)
	if got.code != command.ExitFailed || !strings.Contains(got.errors, "dns: ann may not sync applications platform/dns\n") || !slices.Equal(d.asked, []string{"sync shop dns"}) {
		t.Errorf("%d %v\n%s%s", got.code, d.asked, got.out, got.errors)
	}
}
