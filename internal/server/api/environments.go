package api

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/history"
	"github.com/causeway-gitops/causeway/internal/server/clusters"
	"github.com/causeway-gitops/causeway/internal/server/environment"
	"github.com/causeway-gitops/causeway/internal/server/view"
)

type environmentsInput struct {
	Text    string `query:"q" maxLength:"256" doc:"Words that all have to occur in the product's name or project."`
	Project string `query:"project" maxLength:"253" doc:"Only products of which an Application is in this project."`
	Product string `query:"product" maxLength:"1024" doc:"The id of the only product that is wanted."`
	Differs bool   `query:"differs" doc:"Only products that do not run one version everywhere."`
	From    string `query:"from" maxLength:"63" doc:"With to: only products that differ between these two environments; - is the one of what has none."`
	To      string `query:"to" maxLength:"63"`
	Offset  int    `query:"offset" minimum:"0" maximum:"1000000"`
	Limit   int    `query:"limit" minimum:"1" maximum:"500" default:"100"`
}

// Resolve implements huma.Resolver.
func (in *environmentsInput) Resolve(huma.Context) []error {
	if (in.From == "") != (in.To == "") {
		return []error{&huma.ErrorDetail{Message: "from and to name two environments: give both", Location: "query.from"}}
	}
	return nil
}

func (s *server) environments(a huma.API) {
	handle(a, operation("list-environments", http.MethodGet, "/environments", "environments", "Products × environments: what runs where, in the order of promotion"), s.listEnvironments)
	handle(a, operation("compare-environments", http.MethodGet, "/environments/diff", "environments", "What differs between two environments of a product"), s.between)
}

func (s *server) listEnvironments(ctx context.Context, in *environmentsInput) (*ready[environment.Matrix], error) {
	visible, err := s.reach.Visible(ctx)
	if err != nil {
		return nil, httpError(err)
	}
	q := environment.Query{Text: in.Text, Project: in.Project, Product: in.Product, Differs: in.Differs, From: in.From, To: in.To, Offset: in.Offset, Limit: in.Limit}
	page, err := s.matrices.of(ctx, s.moment, func(_ context.Context, at moment) outlook[*untold] {
		alike := madeOf("environments", eyesOf(at.rows.Seen(visible)), at.clusters.State, at.order, q)
		key := madeOf(alike, at.rows.Version)
		return outlook[*untold]{alike, key, func() (*untold, error) { return s.makeMatrix(key, s.fleetAt(at, visible), q) }}
	})
	if err != nil {
		return nil, httpError(err)
	}
	text, err := s.tellAuthors(ctx, page)
	if err != nil {
		return nil, httpError(err)
	}
	return readyOf[environment.Matrix](text), nil
}

// untold is a page of environments without who made what runs. All who see alike
// share it: it is not to be changed.
type untold struct {
	key    string
	matrix *environment.Matrix
	run    []history.CommitOf
}

func (s *server) makeMatrix(key string, fleet *environment.Fleet, q environment.Query) (*untold, error) {
	return s.matrices.known.of(key, func() (*untold, int64, error) {
		m := fleet.Matrix(q)
		page := &untold{key, m, m.Commits()}
		return page, page.size(), nil
	})
}

// size is about what it takes, in bytes.
func (u *untold) size() int64 {
	size := int64(len(u.run)+1) * runSize
	for i := range u.matrix.Items {
		for _, cell := range u.matrix.Items[i].Cells {
			size += cellSize + int64(len(cell.Applications))*placeSize
		}
	}
	return size
}

// tellAuthors writes a page with the authors of what runs, whom the history may come
// to know at any time. Each asks it in their own turn.
func (s *server) tellAuthors(ctx context.Context, page *untold) (*text, error) {
	authors, err := s.authors(ctx, page.run)
	if err != nil {
		return nil, err
	}
	return s.texts.of(madeOf(page.key, authors), func() (*text, int64, error) { return encoded(page.matrix.Told(authors)) })
}

// authors tells of the commits that run, as far as the history knows them.
func (s *server) authors(ctx context.Context, run []history.CommitOf) (map[history.CommitOf]history.Commit, error) {
	if s.Commits == nil {
		return nil, nil
	}
	return s.Commits.CommitsOf(ctx, run)
}

// fleetAt is what somebody may see of the fleet at a moment. In which environment
// an Application is belongs to the Application, also where a label of its cluster
// says so.
func (s *server) fleetAt(at moment, visible func(*view.Row) bool) *environment.Fleet {
	f := &environment.Fleet{Rows: at.rows.Rows, Visible: visible, Labels: labelsOf(at.clusters.All), Places: s.places}
	if s.Promotion != nil {
		f.Order = environment.ParseOrder(at.order)
	}
	return f
}

// labelsOf are the labels of clusters by their names. Where several have one, they
// may be of different projects, and which one an Application is on is not known by
// the name: none of them says anything.
func labelsOf(all []clusters.Health) map[string]map[string]string {
	out := make(map[string]map[string]string, len(all))
	for i := range all {
		if _, several := out[all[i].Name]; several {
			out[all[i].Name] = nil
			continue
		}
		out[all[i].Name] = all[i].Labels
	}
	return out
}

// Between is what differs between two environments of a product.
type Between struct {
	From    string       `json:"from" doc:"The sync whose manifests are compared, of the first environment."`
	To      string       `json:"to"`
	Objects []Difference `json:"objects" doc:"What the second has in place of what the first has; at most 200."`
	Omitted int          `json:"omitted,omitempty" doc:"How many more objects differ."`
}

// Betweener compares what two syncs of Applications applied.
type Betweener interface {
	Between(ctx context.Context, from, to environment.Side) (*Between, error)
}

type betweenInput struct {
	Product string `query:"product" required:"true" maxLength:"1024" doc:"The product's id."`
	From    string `query:"from" required:"true" maxLength:"63" doc:"Environment; - is the one of what has none."`
	To      string `query:"to" required:"true" maxLength:"63"`
}

func (s *server) between(ctx context.Context, in *betweenInput) (*answer[*Between], error) {
	visible, err := s.reach.Visible(ctx)
	if err != nil {
		return nil, httpError(err)
	}
	fleet := s.fleetAt(s.moment(), visible)
	if s.Betweens == nil || s.Past == nil {
		return nil, httpError(gitops.Problemf(gitops.NotFound, "no history is kept").Do("run the engine with --store"))
	}
	var sides [2]environment.Side
	var latest [2]*view.Row
	for i, name := range []string{in.From, in.To} {
		rows := fleet.Applications(in.Product, name)
		if len(rows) == 0 {
			return nil, httpError(gitops.Problemf(gitops.NotFound, "%s does not run in %s", in.Product, name))
		}
		latest[i] = environment.Latest(rows)
		sides[i] = environment.SideOf(latest[i], name)
	}
	ctx, end, err := s.place(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	for i, row := range latest {
		if sides[i].Sync, err = s.running(ctx, row); err != nil {
			return nil, httpError(err)
		}
	}
	out, err := s.Betweens.Between(ctx, sides[0], sides[1])
	if err != nil {
		return nil, httpError(err)
	}
	return &answer[*Between]{out}, nil
}

// running is the last sync of an Application that succeeded with manifests, of those
// that may be read.
func (s *server) running(ctx context.Context, row *view.Row) (id string, err error) {
	err = s.eachSync(ctx, row, nil, syncsAtOnce, func(one *history.Sync) bool {
		if one.Succeeded() && !one.DryRun && one.Rendering != "" {
			id = one.ID
		}
		return id == ""
	})
	if err == nil && id == "" {
		err = gitops.Problemf(gitops.NotFound, "no manifests of %s are kept", row.Name).Do("sync it once, then compare again")
	}
	return id, err
}
