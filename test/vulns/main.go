package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

// What the process ends with.
const (
	exitFailed = 1
	exitUsage  = 2
)

// shipped are the programs that people run.
var shipped = []program{
	{name: "causeway", module: ".", path: "./cmd/causeway"},
	{name: "causeway-kube", module: "kube", path: "./cmd/causeway-kube"},
	{name: "terraform-provider-causeway", module: "terraform/provider", path: "."},
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, shipped)
	stop()
	os.Exit(code)
}

// run is the program but for its process; it returns the exit code.
func run(ctx context.Context, args []string, out io.Writer, programs []program) int {
	flags := flag.NewFlagSet("vulns", flag.ContinueOnError)
	flags.SetOutput(out)
	database := flags.String("db", "https://vuln.go.dev", "the database: an address, or file:// and a folder of OSV entries")
	tool := flags.String("tool", "bin/govulncheck", "the program govulncheck")
	file := flags.String("exceptions", ".govulncheck.yaml", "file of exceptions")
	if err := flags.Parse(args); err != nil {
		return exitUsage
	}
	known, err := readExceptions(*file, programs)
	if err != nil {
		return failed(out, err)
	}
	if err := reach(ctx, *database); errors.Is(err, errAway) {
		_, _ = fmt.Fprintf(out, "NOT CHECKED for known vulnerabilities: %v\nwhere there is no network: VULNDB=file://FOLDER, with the entries (data/osv) of golang.org/x/vulndb\n", err)
		return 0
	} else if err != nil {
		return failed(out, err)
	}
	found, err := scanner{tool: *tool, database: *database}.all(ctx, programs)
	if err != nil {
		return failed(out, err)
	}
	return report(out, programs, judge(found, known))
}

func failed(out io.Writer, err error) int {
	_, _ = fmt.Fprintf(out, "FAILED: %v\n", err)
	return exitFailed
}

// report prints what was judged, and returns the exit code.
func report(out io.Writer, programs []program, v verdict) int {
	for _, line := range v.excepted {
		_, _ = fmt.Fprintln(out, line)
	}
	for _, line := range v.wrong {
		_, _ = fmt.Fprintln(out, "FAILED: "+line)
	}
	if len(v.wrong) > 0 {
		return exitFailed
	}
	_, _ = fmt.Fprintf(out, "%d programs have no known vulnerability in them that no exception names\n", len(programs))
	return 0
}
