// Package marks knows operations of Applications by the marks that they bear,
// so that who asked for one can follow it to its end, also when another one has
// come after it. It is told of Applications as the hub's watch tells of them,
// asks nothing itself, and knows no permissions: who reads says whose
// Application it is. What it knows of the past ends with the process.
package marks
