# Reads a JSON list of programs and prints a list that has for each of them what
# Python finds wrong with it, or null. Nothing of the programs is run.
import json
import sys
import warnings


def complaint(program):
    try:
        compile(program, "<script>", "exec", dont_inherit=True)
    except SyntaxError as error:
        return {
            "Line": error.lineno or 0,
            "Column": error.offset or 0,
            "EndLine": getattr(error, "end_lineno", 0) or 0,
            "EndColumn": getattr(error, "end_offset", 0) or 0,
            "Problem": error.msg,
        }
    except (ValueError, MemoryError, RecursionError, OverflowError):
        pass
    return None


warnings.simplefilter("ignore")
sys.stdout.write(json.dumps([complaint(p) for p in json.loads(sys.stdin.buffer.read())]))
