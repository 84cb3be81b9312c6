// Package process fits the process to what an instance needs of its machine: open files, and memory
// that is not garbage.
//
// RaiseFiles raises the limit of open files once. KeepHeadroom sets the collector's target as the heap
// grows; both are the whole process's.
package process
