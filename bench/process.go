package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path"
	"path/filepath"
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
	if u.peak, u.resident, err = residentOf(e.cmd.Process.Pid); err != nil {
		return u, err
	}
	// Its workers are processes of their own: what they take is the engine's.
	for _, pid := range childrenOf(e.cmd.Process.Pid) {
		cpu, err := cpuOf(pid)
		peak, resident, gone := residentOf(pid)
		if err != nil || gone != nil {
			continue // one that has ended meanwhile counts with the engine
		}
		u.cpu, u.peak, u.resident = u.cpu+cpu, u.peak+peak, u.resident+resident
	}
	families, err := e.metrics(ctx)
	if err != nil {
		return u, err
	}
	u.requests = requests(families)
	u.renders = counter(families, "causeway_renders_total")
	return u, nil
}

// residentOf is the memory of a process, at the most and now, in bytes.
func residentOf(pid int) (peak, now int64, err error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	return kibibytes(status, "VmHWM:"), kibibytes(status, "VmRSS:"), err
}

// childrenOf are the processes that a process has started and not waited for.
func childrenOf(pid int) []int {
	files, _ := filepath.Glob("/proc/[0-9]*/stat")
	var out []int
	for _, file := range files {
		child, _ := strconv.Atoi(path.Base(path.Dir(file)))
		if fields, err := statOf(child); err == nil && fields[1] == strconv.Itoa(pid) {
			out = append(out, child)
		}
	}
	return out
}

// statOf are the fields of /proc/PID/stat after the name of the program.
func statOf(pid int) ([]string, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return nil, err
	}
	return strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:])), nil
}

// cpuOf is the CPU, of user and system, that a process has used so far, and its
// children that have ended.
func cpuOf(pid int) (time.Duration, error) {
	fields, err := statOf(pid)
	if err != nil {
		return 0, err
	}
	var sum int
	for _, field := range fields[11:15] { // utime, stime, cutime, cstime
		n, err := strconv.Atoi(field)
		if err != nil {
			return 0, err
		}
		sum += n
	}
	return time.Duration(sum) * time.Second / ticks, nil
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

// ready reports whether the engine says that it has read the hub.
func (e *engine) ready(ctx context.Context) bool {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+e.listen+"/readyz", nil)
	if err != nil {
		return false
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return false
	}
	_ = resp.Body.Close()
	return resp.StatusCode == http.StatusOK
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
