package environment

import (
	"github.com/causeway-gitops/causeway/internal/store"
)

// key names the commit that a cell runs; that of its values where it runs a
// chart, empty where it has none, and where it is not to be told of.
func (c *Cell) key() store.CommitOf {
	url, at := c.RepoURL, c.Version
	if c.Chart != "" {
		url, at = c.ValuesURL, c.Values
	}
	if url == "" || at == "" || c.Barred {
		return store.CommitOf{}
	}
	return store.CommitOf{CommitKey: store.CommitKey{Repo: store.RepoID(url), Revision: at}, Namespace: c.Of.Namespace, Name: c.Of.Name}
}

// Commits are those that the cells run, by the Application that each is of.
func (m *Matrix) Commits() []store.CommitOf {
	var out []store.CommitOf
	known := map[store.CommitOf]bool{{}: true}
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

// Tell fills in who made them.
func (m *Matrix) Tell(commits map[store.CommitOf]store.Commit) {
	for i := range m.Items {
		for name, cell := range m.Items[i].Cells {
			if c, ok := commits[cell.key()]; ok {
				cell.Author, cell.Subject, cell.Committed = c.Author, c.Subject, c.Date
				m.Items[i].Cells[name] = cell
			}
		}
	}
}
