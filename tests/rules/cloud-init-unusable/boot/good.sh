#!/bin/bash
ls
