package policy

import (
	"strings"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/source/address"
)

// mostTold bounds what is told of the name of a chart, in bytes.
const mostTold = 253

// charts are the repositories that the name of a chart leads to, one for each of its
// segments: a registry has the chart in the last one, and how much of the way to it is
// in the address is a matter of spelling. A plain name at a web address leads nowhere: an
// index has it, and says where the archives are. An error is a name that no registry takes.
func (r repository) charts(ref gitops.SourceRef) ([]repository, error) {
	if ref.Chart == "" || address.IsWeb(r.Scheme) && !strings.Contains(ref.Chart, "/") {
		return nil, nil
	}
	if err := ref.Check(); err != nil {
		return nil, err
	}
	if err := address.CheckChart(ref.Chart); err != nil {
		return nil, err
	}
	var out []repository
	for i, sign := range ref.Chart + "/" {
		if sign == '/' {
			out = append(out, r.chart(ref.Chart[:i]))
		}
	}
	return out, nil
}

func (r repository) chart(name string) repository {
	return repository{
		Canonical: r.Chart(name),
		written:   strings.TrimRight(r.written, "/") + "/" + strings.ToLower(name),
	}
}
