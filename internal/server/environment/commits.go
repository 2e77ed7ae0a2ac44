package environment

import (
	"maps"
	"slices"

	"github.com/causeway-gitops/causeway/internal/history"
)

// key names the commit that a cell runs; that of its values where it runs a
// chart, empty where it has none, and where it is not to be told of.
func (c *Cell) key() history.CommitOf {
	url, at := c.RepoURL, c.Version
	if c.Chart != "" {
		url, at = c.ValuesURL, c.Values
	}
	if url == "" || at == "" || c.Barred {
		return history.CommitOf{}
	}
	return history.CommitOf{CommitKey: history.CommitKey{Repo: history.RepoID(url), Revision: at}, Namespace: c.Of.Namespace, Name: c.Of.Name}
}

// Commits are those that the cells run, by the Application that each is of.
func (m *Matrix) Commits() []history.CommitOf {
	var out []history.CommitOf
	known := map[history.CommitOf]bool{{}: true}
	for i := range m.Items {
		for _, cell := range m.Items[i].Cells {
			if key := cell.key(); !known[key] {
				known[key] = true
				out = append(out, key)
			}
		}
	}
	return out
}

// Told is the matrix with who made them. The one that it is made of stays as it is:
// several share it, who are told each by themselves.
func (m *Matrix) Told(commits map[history.CommitOf]history.Commit) *Matrix {
	out := *m
	out.Items = slices.Clone(m.Items)
	for i := range out.Items {
		cells := maps.Clone(out.Items[i].Cells)
		for name, cell := range cells {
			if c, ok := commits[cell.key()]; ok {
				cell.Author, cell.Subject, cell.Committed = c.Author, c.Subject, c.Date
				cells[name] = cell
			}
		}
		out.Items[i].Cells = cells
	}
	return &out
}
