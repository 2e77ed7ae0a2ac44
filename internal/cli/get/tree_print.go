package get

import (
	"fmt"
	"strconv"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/cli/table"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/screen"
)

func (t *treeFlags) print(root *branch) error {
	switch t.output {
	case table.AsJSON, table.AsYAML:
		return table.PrintValue(t.Out, t.output, root)
	case table.AsName:
		return t.printNames(root)
	}
	return table.Print(t.Global, treeTable(root, t.output), t.output)
}

func treeTable(root *branch, output string) table.Table {
	t := table.Table{Keys: 1, Header: []string{"OBJECT", "SYNC", "HEALTH", "WAVE", "INFO"}}
	grow(&t, root, "", "", output == table.AsWide)
	return t
}

func (t *treeFlags) printNames(b *branch) error {
	group := ""
	if b.Group != "" {
		group = "." + b.Group
	}
	if _, err := fmt.Fprintln(t.Out, screen.Line(b.Kind+group+"/"+b.Name)); err != nil {
		return err
	}
	for _, child := range b.Children {
		if err := t.printNames(child); err != nil {
			return err
		}
	}
	return nil
}

// grow adds a branch and what is below it as rows. The namespace is told
// where it differs from that of the object above.
func grow(t *table.Table, b *branch, lead, below string, wide bool) {
	wave := ""
	if b.Wave != 0 {
		wave = strconv.FormatInt(b.Wave, 10)
	}
	t.Rows = append(t.Rows, []string{lead + label(b, wide), b.Sync, b.Health, wave, b.Info})
	for i, child := range b.Children {
		mark, space := "├─ ", "│  "
		if i == len(b.Children)-1 {
			mark, space = "└─ ", "   "
		}
		grow(t, child, below+mark, below+space, wide)
	}
}

func label(b *branch, wide bool) string {
	kind := b.Kind
	if wide && b.Group != "" {
		kind += "." + b.Group
	}
	if b.Group == v1alpha1.Group && !wide {
		return kind + " " + b.Name
	}
	return gitops.ObjectName(kind, b.Namespace, b.Name)
}
