package record

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/cli/table"
	"github.com/causeway-gitops/causeway/internal/store/audit"
)

type auditVerify struct {
	auditFlags

	expect string
	export string
	output string
}

func newAuditVerify(g *command.Global) *cobra.Command {
	v := &auditVerify{auditFlags: auditFlags{Global: g}, output: table.AsTable}
	cmd := &cobra.Command{
		Use: "verify", Short: "Prove that no entry was changed, taken out or put in between",
		Long: "Follow the chain of the audit from its first entry to its last. It ends with 1 and names the first entry at which\n" +
			"the chain does not hold. A chain cannot prove that nobody cut off its end, or wrote all of it anew: note the hash\n" +
			"that this prints somewhere else, and give it with --expect the next time.",
		Example: "  causeway audit verify\n  causeway audit verify --expect 5f2c…\n  causeway audit verify --export audit.jsonl",
		Args:    command.None,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := cmp.Or(command.Emptied(cmd.Flags(), "expect", "export"), v.named(cmd.Flags())); err != nil {
				return err
			}
			return v.run(cmd.Context())
		},
	}
	v.register(cmd.Flags())
	cmd.Flags().StringVar(&v.expect, "expect", "", "hash of an entry that has to be there")
	cmd.Flags().StringVar(&v.export, "export", "", "verify a file that causeway audit export or the API wrote; - is the standard input")
	cmd.Flags().StringVarP(&v.output, "output", "o", v.output, "how to print: table, json, yaml")
	return cmd
}

func (v *auditVerify) run(ctx context.Context) error {
	if err := table.CheckOutput(v.output, table.AsTable, table.AsJSON, table.AsYAML); err != nil {
		return err
	}
	report, err := v.verify(ctx)
	if err != nil {
		return err
	}
	if v.output != table.AsTable {
		return table.PrintValue(v.Out, v.output, report)
	}
	if report.Entries == 0 {
		_, err := fmt.Fprintln(v.Out, "the audit has no entries yet")
		return err
	}
	_, err = fmt.Fprintf(v.Out, "the audit holds from entry %d to entry %d\nthe last has the hash %s\n", report.First, report.Last, report.Hash)
	return err
}

func (v *auditVerify) verify(ctx context.Context) (audit.Report, error) {
	if v.export != "" {
		return v.verifyExport()
	}
	s, err := v.open()
	if err != nil {
		return audit.Report{}, err
	}
	defer func() { _ = s.Close() }()
	return s.VerifyAudit(ctx, v.expect)
}

// mostLine bounds a line of an export, in bytes.
const mostLine = 1 << 20

func (v *auditVerify) verifyExport() (audit.Report, error) {
	in := v.In
	if v.export != "-" {
		f, err := command.OpenNamed(v.export)
		if err != nil {
			return audit.Report{}, fmt.Errorf("cannot read the export: %w", err)
		}
		defer func() { _ = f.Close() }()
		in = f
	}
	return verifyLines(in, v.expect)
}

func verifyLines(in io.Reader, expect string) (audit.Report, error) {
	chain, lines := audit.NewVerifier(expect), bufio.NewScanner(in)
	lines.Buffer(nil, mostLine)
	for number := 1; lines.Scan(); number++ {
		if err := takeLine(chain, number, lines.Bytes()); err != nil {
			return audit.Report{}, err
		}
	}
	if err := lines.Err(); errors.Is(err, bufio.ErrTooLong) {
		return audit.Report{}, fmt.Errorf("a line of the export is longer than %d bytes", mostLine)
	} else if err != nil {
		return audit.Report{}, fmt.Errorf("cannot read the export: %w", err)
	}
	return chain.End()
}

// takeLine holds one line of an export against the chain.
func takeLine(chain *audit.Verifier, number int, line []byte) error {
	text, hash, err := audit.Split(line)
	if err != nil {
		return fmt.Errorf("line %d of the export: %w", number, err)
	}
	e, err := audit.Parse(text, hash)
	if err != nil {
		return fmt.Errorf("line %d of the export: %w", number, err)
	}
	_, err = chain.Take(e.Sequence, text, hash)
	return err
}
