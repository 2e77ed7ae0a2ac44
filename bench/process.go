package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// engine is the engine under test, in a process of its own.
type engine struct {
	cmd    *exec.Cmd
	listen string
	log    *os.File
}

func startEngine(ctx context.Context, binary, kubeconfig, cache, listen, mirror string, more ...string) (*engine, error) {
	log, err := os.CreateTemp("", "causeway-bench-*.log")
	if err != nil {
		return nil, err
	}
	args := append([]string{"run", "--kubeconfig", kubeconfig, "--cache-dir", cache, "--listen", listen, "--mirror", mirror}, more...)
	cmd := exec.CommandContext(ctx, binary, args...)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("cannot start the engine: %w", err)
	}
	return &engine{cmd: cmd, listen: listen, log: log}, nil
}

func (e *engine) stop() {
	_ = e.cmd.Process.Signal(os.Interrupt)
	_ = e.cmd.Wait()
	_ = e.log.Close()
}

// usage is what the process has used so far.
type usage struct {
	cpu      time.Duration
	peak     int64 // bytes resident at most
	resident int64
	requests map[string]int
	renders  float64
}

// ticks is the kernel's unit of CPU times: 1/100 s on every Linux that Go runs on.
const ticks = 100

func (e *engine) usage(ctx context.Context) (usage, error) {
	u := usage{}
	cpu, err := cpuOf(e.cmd.Process.Pid)
	if err != nil {
		return u, fmt.Errorf("the engine is gone (log: %s): %w", e.log.Name(), err)
	}
	u.cpu = cpu
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", e.cmd.Process.Pid))
	if err != nil {
		return u, err
	}
	u.peak, u.resident = kibibytes(status, "VmHWM:"), kibibytes(status, "VmRSS:")
	families, err := e.metrics(ctx)
	if err != nil {
		return u, err
	}
	u.requests = requests(families)
	u.renders = counter(families, "causeway_renders_total")
	return u, nil
}

// cpuOf is the CPU, of user and system, that a process has used so far.
func cpuOf(pid int) (time.Duration, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	user, errUser := strconv.Atoi(fields[11])
	system, errSystem := strconv.Atoi(fields[12])
	return time.Duration(user+system) * time.Second / ticks, errors.Join(errUser, errSystem)
}

func kibibytes(status []byte, name string) int64 {
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, name); ok {
			n, _ := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
			return n << 10
		}
	}
	return 0
}

func (e *engine) metrics(ctx context.Context) (map[string]*dto.MetricFamily, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+e.listen+"/metrics", nil)
	if err != nil {
		return nil, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, err
	}
	parser := expfmt.NewTextParser(model.UTF8Validation)
	return parser.TextToMetricFamilies(bytes.NewReader(body))
}

// requests counts what client-go counts, by HTTP method.
func requests(families map[string]*dto.MetricFamily) map[string]int {
	out := map[string]int{}
	for _, m := range families["rest_client_requests_total"].GetMetric() {
		for _, l := range m.GetLabel() {
			if l.GetName() == "method" {
				out[l.GetValue()] += int(m.GetCounter().GetValue())
			}
		}
	}
	return out
}

func counter(families map[string]*dto.MetricFamily, name string) float64 {
	total := 0.0
	for _, m := range families[name].GetMetric() {
		total += m.GetCounter().GetValue()
	}
	return total
}
