# SPDX-License-Identifier: MIT
"""farm/reframe/bankcheck.py - bankcheck as a ReFrame test: one job a node, which judges all GPUs of that node.

    reframe -C SITE.py -c farm/reframe/bankcheck.py -r --distribute=idle -S program=/shared/bankcheck/bin/bankcheck

Variables (-S NAME=VALUE):

    program   the program (default: bankcheck, on the PATH)
    options   words for `bankcheck run`, as a shell reads them: '--witness clock --deadline 600'
    night     a folder on a file system that all nodes share: reports are left in NIGHT/nodes/NODE/JOB/ as
              `bankcheck fleet` takes them (docs/farm.md); without it they stay in the stage folder

The test passes when bankcheck ends with 0. Else its message has what the exit status means and the first finding.
Performance variables: cases that passed, and seconds. Needs ReFrame 4.
"""

import os
import re
import shlex

import reframe as rfm
import reframe.utility.sanity as sn
from reframe.core.builtins import performance_function, run_before, sanity_function, variable

MEANS = {
    1: 'a finding: the GPU, its driver or its toolkit is not as expected',
    2: 'a case broke, its worker died, or GPUs are missing',
    3: 'wrong usage, or input that cannot be read',
    4: 'not judged: a witness that was asked for is not to be had',
}
STATUS = 'bankcheck.status'
FINDING = re.compile(r'^(FAIL|DISAGREE|XPASS|UNJUDGED|BROKEN|LOST|bankcheck:) .*$', re.MULTILINE)


@rfm.simple_test
class bankcheck_node(rfm.RunOnlyRegressionTest):
    """All GPUs of a node keep the rules of shared memory."""

    program = variable(str, value='bankcheck')
    options = variable(str, value='')
    night = variable(str, value='')

    descr = 'shared memory of all GPUs of a node, by the rules that CUDA programmers rely on'
    valid_systems = ['*']
    valid_prog_environs = ['*']
    num_tasks = 1
    num_tasks_per_node = 1
    exclusive_access = True
    time_limit = '20m'
    maintainers = ['bankcheck']
    tags = {'gpu', 'bankcheck'}

    @run_before('run')
    def prepare(self):
        """One line runs it; what stands around it keeps its exit status, and puts `done` in place last."""
        where = '"$PWD/reports"'
        if self.night:
            # A job's number names its folder; without an engine that numbers jobs, the test and the process do.
            where = (shlex.quote(os.path.abspath(self.night)) +
                     '/nodes/"${SLURMD_NODENAME:-$(uname -n)}"/"${SLURM_JOB_ID:-reframe-$$}"')
        self.prerun_cmds = [f'folder={where}', 'mkdir -p "$folder"']
        self.executable = shlex.quote(self.program)
        self.executable_opts = ['run', *([self.options] if self.options else []), '--reports', '"$folder"']
        # Not every scheduler of ReFrame knows a job's exit status.
        self.postrun_cmds = ['status=$?', f'echo "$status" >{STATUS}',
                             'echo "$status" >"$folder/.done" && mv "$folder/.done" "$folder/done"', 'exit "$status"']

    @sanity_function
    def ended_with_0(self):
        """Its exit status, and that it said how many cases it judged."""
        path = os.path.join(self.stagedir, STATUS)
        if not os.path.exists(path):
            return sn.assert_true(False, 'the job ended before bankcheck did: its output says why')
        with open(path, encoding='ascii') as file:
            status = int(file.read())
        if status == 0:
            return sn.assert_found(r'^\d+ cases?: .*\d+ PASS', self.stdout,
                                   'bankcheck ended with 0 and judged no case')
        said = ''.join(str(sn.extractall(r'(?s).*', name, 0, str)[0]) for name in (self.stdout, self.stderr)
                       if os.path.exists(os.path.join(self.stagedir, str(name))))
        first = FINDING.search(said)
        return sn.assert_eq(status, 0, f'bankcheck ended with {status}: ' + MEANS.get(status, 'a signal, or the job') +
                            (f'; {first.group(0)}' if first else ''))

    @performance_function('cases')
    def passed(self):
        """Cases that passed, of all devices of the node."""
        return sn.sum(sn.extractall(r'^\d+ cases?: .*?(\d+) PASS', self.stdout, 1, int))

    @performance_function('s')
    def seconds(self):
        """What the whole run took."""
        return sn.extractsingle(r'^time: +([\d.]+) s', self.stdout, 1, float)
